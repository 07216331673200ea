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
				g = &behaviour{waiters: make(map[threadNo]bool), waits: make(map[threadNo]int), private: o.group != resourceNo(n)}
				groups[o.group] = g
			}
			g.objects = append(g.objects, o)
		}
	}
	for i := range ix.waits {
		w := &ix.waits[i]
		o := &ix.objects[w.resource]
		if g := groups[o.group]; g != nil && o.nature == either && len(o.releases) > 0 {
			g.waiters[w.thread] = true
			if w.letGo {
				g.waits[w.thread]++
			}
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
	waits   map[threadNo]int // that a thread ended
	objects []*object
	private bool // each waiter has a word of its own
}

// isLock reports whether at least half of the releases were made by threads that
// have waited there too. Threads with words of their own may wait there for a lock and
// for work, and whoever hands out work may wait for a lock, too; so there at least half
// of the waits must be matched by releases of the same thread, as a lock goes round.
func (b *behaviour) isLock() bool {
	var own, all, waits, passedOn int
	releases := make(map[threadNo]int)
	for _, o := range b.objects {
		for _, r := range o.releases {
			releases[r.thread]++
		}
	}
	for thread, n := range releases {
		all += n
		if b.waiters[thread] {
			own += n
		}
	}
	for thread, n := range b.waits {
		waits += n
		passedOn += min(n, releases[thread])
	}
	return own > 0 && own*2 >= all && (!b.private || passedOn*2 >= waits)
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
