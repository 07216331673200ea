// SPDX-License-Identifier: Apache-2.0

package rca

import "github.com/os2026/ebpf-rca/contention"

// locksByBehaviour says which resources are locks, whose holder answers for all it
// does, and which are not, where a thread waits for what another produces. Where
// the kind does not tell, behaviour does: those who let a lock go have waited for
// it themselves.
func locksByBehaviour(ix *index) map[contention.Resource]bool {
	groups := make(map[contention.Resource]*behaviour)
	for resource, waiters := range ix.wanted {
		g := groups[ix.group(resource)]
		if g == nil {
			g = &behaviour{waiters: make(map[contention.ThreadID]bool)}
			groups[ix.group(resource)] = g
		}
		if len(ix.releases[resource]) == 0 {
			continue
		}
		for id := range waiters {
			g.waiters[id] = true
		}
		g.releases = append(g.releases, ix.releases[resource]...)
	}
	locks := make(map[contention.Resource]bool, len(ix.wanted))
	for resource := range ix.wanted {
		switch natureOf(resource.Kind) {
		case aLock:
			locks[resource] = true
		case either:
			locks[resource] = groups[ix.group(resource)].isLock()
		}
	}
	return locks
}

// group is what a resource is judged together with. Where each waiter sleeps on a
// word of its own (monitors, parking lots), one word shows nothing: all such words
// of a process are judged as one.
func (ix *index) group(r contention.Resource) contention.Resource {
	if natureOf(r.Kind) == either && len(ix.wanted[r]) == 1 {
		return contention.Resource{Kind: r.Kind, PID: r.PID}
	}
	return r
}

type behaviour struct {
	waiters  map[contention.ThreadID]bool
	releases []release
}

// isLock reports whether at least half of the releases were made by threads that
// have waited there too.
func (b *behaviour) isLock() bool {
	var own int
	for _, r := range b.releases {
		if b.waiters[r.thread] {
			own++
		}
	}
	return own > 0 && own*2 >= len(b.releases)
}

// nature is what a kind of resource says by itself.
type nature int

const (
	aProducer nature = iota // somebody makes what is waited for
	aLock                   // somebody has it
	either                  // behaviour must tell
	choice                  // the thread sleeps because it wants to
	outside                 // a device, the network, or something unknown
)

func natureOf(k contention.Kind) nature {
	switch k {
	case contention.Mutex, contention.RWLock, contention.Monitor, contention.Flock, contention.PosixLock,
		contention.KernelMutex, contention.KernelRWSem, contention.KernelSpin, contention.KernelRT,
		contention.KernelPCPURW:
		return aLock
	case contention.Futex, contention.Semaphore:
		return either
	case contention.Timer, contention.Signal, contention.Poll:
		return choice
	case contention.CondVar, contention.Barrier, contention.Join, contention.Pipe, contention.Socket,
		contention.EventFD:
		return aProducer
	default: // what cannot be told accuses nobody
		return outside
	}
}
