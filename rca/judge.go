// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// alike is how many times more than another a thread must answer for to differ from
// it: up to this, two threads hold a lock, or wait for each other, for a like time.
const alike = 3

// judgement is one cause of waiting and what it is held to be.
type judgement struct {
	class    contention.Class
	culprits []contention.ThreadID // none: nobody is accused
	account  *account
	resource contention.Resource
}

// judge decides what each account amounts to. Accounts that cost no victim enough
// stay in the book and are not told.
func judge(ix *index, b *book, opts Options) []judgement {
	worth := func(lost time.Duration) bool {
		return lost >= minBlame && float64(lost) >= opts.MinShare*float64(ix.window.length())
	}
	acquitExchanges(b, worth)
	var out []judgement
	out = append(out, accuse(ix, b, worth)...)
	out = append(out, accuseDeadlocks(b, worth)...)
	out = append(out, informOfHotLocks(b, out, worth)...)
	out = append(out, informOfOutside(b, worth)...)
	slices.SortFunc(out, compareJudgements)
	return out
}

// compareJudgements puts accusations first, then the greater blame, then the lower
// tid.
func compareJudgements(a, b judgement) int {
	if a.class.Accuses() != b.class.Accuses() {
		if a.class.Accuses() {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(b.account.blame, a.account.blame),
		slices.CompareFunc(a.culprits, b.culprits, contention.ThreadID.Compare),
		compareResources(a.resource, b.resource),
	)
}

func compareResources(a, b contention.Resource) int {
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Address, b.Address), cmp.Compare(a.Device, b.Device),
		cmp.Compare(a.Inode, b.Inode), cmp.Compare(a.PID, b.PID), cmp.Compare(a.TID, b.TID),
		cmp.Compare(a.Side, b.Side),
	)
}

// acquitExchanges clears producers that wait for their victims about as much as
// these wait for them: two sides that take turns are both as they should be.
func acquitExchanges(b *book, worth func(time.Duration) bool) {
	var even []accountKey
	for key, a := range b.accounts {
		if key.how == byProducing && worth(a.worst(key.culprit)) && b.owed(key.culprit, a)*alike >= a.blame {
			even = append(even, key)
		}
	}
	for _, key := range even {
		b.acquit(key)
	}
}

// owed is how long a culprit waited for its own victims.
func (b *book) owed(culprit contention.ThreadID, a *account) time.Duration {
	var owed time.Duration
	for key, other := range b.accounts {
		if _, isVictim := a.victims[key.culprit]; isVictim && key.culprit != culprit && other.victims[culprit] != nil {
			owed += other.victims[culprit].time
		}
	}
	return owed
}

// accuse names who holds, produces or occupies for longer than others do.
func accuse(ix *index, b *book, worth func(time.Duration) bool) []judgement {
	var out []judgement
	for key, a := range b.accounts {
		if key.how == byDeadlock || !worth(a.worst(key.culprit)) {
			continue
		}
		if key.how == byHolding && a.blame < alike*usualBlame(ix, b, key) {
			continue
		}
		out = append(out, judgement{classOf(key), []contention.ThreadID{key.culprit}, a, key.resource})
	}
	return out
}

// usualBlame is the median of what the other threads that want a lock answer for.
func usualBlame(ix *index, b *book, key accountKey) time.Duration {
	var others []time.Duration
	seen := map[contention.ThreadID]bool{key.culprit: true}
	add := func(id contention.ThreadID) {
		if seen[id] {
			return
		}
		seen[id] = true
		var blame time.Duration
		if a := b.accounts[accountKey{id, key.resource, byHolding}]; a != nil {
			blame = a.blame
		}
		others = append(others, blame)
	}
	for id := range ix.wanted[key.resource] {
		add(id)
	}
	for _, r := range ix.releases[key.resource] {
		add(r.thread)
	}
	if len(others) == 0 {
		return 0
	}
	slices.Sort(others)
	return others[(len(others)-1)/2]
}

func classOf(key accountKey) contention.Class {
	switch key.how {
	case byOccupying:
		return contention.CPUStarvation
	case byHolding:
		if isKernelLock(key.resource.Kind) {
			return contention.KernelLockHolder
		}
		return contention.LockHolder
	}
	switch {
	case key.resource.Kind == contention.Barrier:
		return contention.Straggler
	case key.resource.Side == contention.ForRoom:
		return contention.SlowConsumer
	default:
		return contention.SlowProducer
	}
}

func isKernelLock(k contention.Kind) bool {
	switch k {
	case contention.KernelMutex, contention.KernelRWSem, contention.KernelSpin, contention.KernelRT,
		contention.KernelPCPURW:
		return true
	default:
		return false
	}
}

// accuseDeadlocks makes one judgement of each circle.
func accuseDeadlocks(b *book, worth func(time.Duration) bool) []judgement {
	next := make(map[contention.ThreadID]accountKey) // from a thread to the account over whom it waits for
	for key, a := range b.accounts {
		if key.how == byDeadlock {
			for hop := range a.hops {
				if hop.holder == key.culprit && hop.resource == key.resource {
					next[hop.waiter] = key
				}
			}
		}
	}
	var out []judgement
	done := make(map[contention.ThreadID]bool)
	for start := range next {
		j := judgement{class: contention.Deadlock, account: newAccount()}
		for at := start; !done[at]; at = next[at].culprit {
			done[at] = true
			j.culprits = append(j.culprits, at)
			j.account.merge(b.accounts[next[at]])
		}
		if len(j.culprits) == 0 || !worth(j.account.worst(contention.ThreadID{})) {
			continue
		}
		slices.SortFunc(j.culprits, contention.ThreadID.Compare)
		j.resource = next[j.culprits[0]].resource
		out = append(out, j)
	}
	return out
}

// informOfHotLocks tells of locks that cost much though nobody holds them for longer
// than the rest.
func informOfHotLocks(b *book, accused []judgement, worth func(time.Duration) bool) []judgement {
	hot := make(map[contention.Resource]*account)
	for key, a := range b.accounts {
		if key.how != byHolding {
			continue
		}
		if hot[key.resource] == nil {
			hot[key.resource] = newAccount()
		}
		hot[key.resource].merge(a)
	}
	for _, j := range accused {
		delete(hot, j.resource)
	}
	return inform(hot, worth, func(contention.Resource) contention.Class { return contention.Contended })
}

// informOfOutside tells of waiting that no thread is at fault for.
func informOfOutside(b *book, worth func(time.Duration) bool) []judgement {
	return inform(b.external, worth, func(r contention.Resource) contention.Class {
		if r.Kind == contention.Disk {
			return contention.IO
		}
		return contention.External
	})
}

func inform(accounts map[contention.Resource]*account, worth func(time.Duration) bool, class func(contention.Resource) contention.Class) []judgement {
	var out []judgement
	for resource, a := range accounts {
		if worth(a.worst(contention.ThreadID{})) {
			out = append(out, judgement{class: class(resource), account: a, resource: resource})
		}
	}
	return out
}
