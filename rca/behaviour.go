// SPDX-License-Identifier: Apache-2.0

package rca

import "github.com/os2026/ebpf-rca/contention"

// formGroups puts together what must be judged together. Where each waiter sleeps on
// a word of its own (monitors, parking lots), one word shows nothing: all such words
// of a process are one group.
func (ix *index) formGroups() {
	ix.groups = make(map[resourceNo][]resourceNo)
	for n := range ix.objects {
		o := &ix.objects[n]
		if !parks(o.Kind) || len(o.waiters) != 1 {
			continue
		}
		group := ix.resource(contention.Resource{Kind: o.Kind, PID: o.PID})
		if group != resourceNo(n) {
			ix.objects[n].group = group // o may have moved
			ix.groups[group] = append(ix.groups[group], resourceNo(n))
		}
	}
}

// membersOf lists the resources of a group.
func (ix *index) membersOf(group resourceNo) []resourceNo {
	return append([]resourceNo{group}, ix.groups[group]...)
}

// parks reports whether threads may wait for one lock of kind k on several words.
func parks(k contention.Kind) bool {
	switch k {
	case contention.Futex, contention.Semaphore, contention.Monitor:
		return true
	default:
		return false
	}
}

// private reports whether a resource is judged with others because one thread alone
// waits for it.
func (ix *index) private(r resourceNo) bool { return ix.objects[r].group != r }

// tellLocks says which resources are locks, whose holder answers for all it does,
// and which are not, where a thread waits for what another produces. Where the kind
// does not tell, behaviour does: those who let a lock go have waited for it
// themselves.
func (ix *index) tellLocks() {
	groups := make(map[resourceNo]*behaviour)
	for n := range ix.objects {
		if o := &ix.objects[n]; o.nature == either && len(o.releases) > 0 {
			g := groups[o.group]
			if g == nil {
				g = &behaviour{waiters: make(map[threadNo]bool)}
				groups[o.group] = g
			}
			g.add(o)
		}
	}
	for n := range ix.objects {
		o := &ix.objects[n]
		g := groups[o.group]
		o.lock = o.nature == aLock || o.nature == either && g != nil && g.isLock()
	}
}

// behaviour is who waits for the resources of a group and who lets them go.
type behaviour struct {
	waiters map[threadNo]bool
	objects []*object
}

func (b *behaviour) add(o *object) {
	for _, thread := range o.waiters {
		b.waiters[thread] = true
	}
	b.objects = append(b.objects, o)
}

// isLock reports whether at least half of the releases were made by threads that
// have waited there too.
func (b *behaviour) isLock() bool {
	var own, all int
	for _, o := range b.objects {
		for _, r := range o.releases {
			if b.waiters[r.thread] {
				own++
			}
		}
		all += len(o.releases)
	}
	return own > 0 && own*2 >= all
}

// nature is what a kind of resource says by itself.
type nature int8

const (
	aProducer nature = iota // somebody makes what is waited for
	aLock                   // somebody has it
	either                  // behaviour must tell
	choice                  // the thread sleeps because it wants to
	outside                 // a device, the network, or something unknown
)

// byThreads reports whether it is threads that end a wait.
func (n nature) byThreads() bool { return n != choice && n != outside }

func natureOf(k contention.Kind) nature {
	switch k {
	case contention.Mutex, contention.RWLock, contention.Monitor, contention.Flock, contention.PosixLock,
		contention.Barrier, // who has not come yet answers for all it does
		contention.KernelMutex, contention.KernelRWSem, contention.KernelSpin, contention.KernelRT,
		contention.KernelPCPURW:
		return aLock
	case contention.Futex, contention.Semaphore:
		return either
	case contention.Timer, contention.Signal, contention.Poll:
		return choice
	case contention.CondVar, contention.Join, contention.Pipe, contention.Socket,
		contention.EventFD:
		return aProducer
	default: // what cannot be told accuses nobody
		return outside
	}
}
