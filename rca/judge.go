// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// judgement is one cause of waiting and what it is held to be.
type judgement struct {
	class contention.Class
	// parts are the threads that answer for it. They are culprits only if the class
	// accuses.
	parts   []part
	account *account // of all parts together
	group   resourceNo
}

// part is what one thread answers for.
type part struct {
	thread threadNo
	*account
}

// culprits are the threads accused.
func (j judgement) culprits() []part {
	if j.class.Accuses() {
		return j.parts
	}
	return nil
}

// judge decides what each account amounts to. Accounts that cost no victim enough
// stay in the book and are not told.
func judge(ix *index, b *book, worth func(time.Duration) bool) []judgement {
	sides := exchanges(b)
	acquitEven(b, sides, worth)
	out := accuse(ix, b, sides, worth)
	out = append(out, accuseScattered(ix, b, out, worth)...)
	out = append(out, informOfHotLocks(ix, b, out, worth)...)
	out = append(out, accuseDeadlocks(ix, b, worth)...)
	out = append(out, tellLostWakeups(b, worth)...)
	out = append(out, informOfOutside(ix, b, worth)...)
	slices.SortFunc(out, ix.compareJudgements)
	return out
}

// compareJudgements puts accusations first, then the greater blame, then the lower
// tid.
func (ix *index) compareJudgements(a, b judgement) int {
	return cmp.Or(
		compareBool(a.class.Accuses(), b.class.Accuses()),
		cmp.Compare(b.account.blame, a.account.blame),
		slices.CompareFunc(a.culprits(), b.culprits(), ix.compareParts),
		ix.compareResources(a.group, b.group),
		cmp.Compare(a.class, b.class),
	)
}

func (ix *index) compareParts(a, b part) int { return ix.compareThreads(a.thread, b.thread) }

// accuse names who holds or produces for longer than others do, and who was left to
// answer for a CPU.
func accuse(ix *index, b *book, sides map[threadNo]exchange, worth func(time.Duration) bool) []judgement {
	locks, asleep := newComparison(ix, b), whereProducersSleep(b)
	var out []judgement
	for key, a := range b.accounts {
		if key.how == byDeadlock || !worth(a.blame) || !worth(a.worstActive(key.culprit)) {
			continue
		}
		if key.how == byProducing && (!sides[key.culprit].slow() || mostlyIdle(a, key.culprit) || asleep[key.group]) {
			continue
		}
		if key.how == byHolding && !locks.standsOut(key, a) {
			continue
		}
		out = append(out, judgement{classOf(ix, key), []part{{key.culprit, a}}, a, key.group})
	}
	return out
}

// whereProducersSleep finds the groups in which most of the waiting is for what nobody had
// in hand. What those who produce there took to hand things over, when they woke, is not
// what the others waited for.
func whereProducersSleep(b *book) map[resourceNo]bool {
	produced := make(map[resourceNo]time.Duration)
	for key, a := range b.accounts {
		if key.how == byProducing {
			produced[key.group] += a.blame
		}
	}
	asleep := make(map[resourceNo]bool)
	for group, blame := range produced {
		if e := b.external[group]; e != nil && 2*blame < e.blame {
			asleep[group] = true
		}
	}
	return asleep
}

// mostlyIdle reports whether a producer could not work for most of the time that it cost:
// it wanted a CPU.
func mostlyIdle(a *account, culprit threadNo) bool {
	return 2*a.worstActive(culprit) < a.worst(culprit)
}

func classOf(ix *index, key accountKey) contention.Class {
	r := ix.objects[key.group].Resource
	switch {
	case key.how == byOccupying:
		return contention.CPUStarvation
	case r.Kind == contention.Barrier:
		return contention.Straggler
	case key.how == byHolding && isKernelLock(r.Kind):
		return contention.KernelLockHolder
	case key.how == byHolding:
		return contention.LockHolder
	case r.Side == contention.ForRoom:
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
func accuseDeadlocks(ix *index, b *book, worth func(time.Duration) bool) []judgement {
	stuck := make(map[threadNo]bool) // those in circles, and not those who wait for them
	for key := range b.accounts {
		stuck[key.culprit] = stuck[key.culprit] || key.how == byDeadlock
	}
	next := make(map[threadNo]accountKey) // from a thread to the account over whom it waits for
	for key, a := range b.accounts {
		if key.how == byDeadlock {
			for _, hop := range a.hops.entries {
				if stuck[hop.key.waiter] && hop.key.holder == key.culprit && ix.objects[hop.key.resource].group == key.group {
					next[hop.key.waiter] = key
				}
			}
		}
	}
	var out []judgement
	done := make(map[threadNo]bool)
	for _, start := range slices.SortedFunc(maps.Keys(next), ix.compareThreads) {
		if done[start] {
			continue
		}
		var parts []part
		for at := start; !done[at]; at = next[at].culprit {
			done[at] = true
			parts = append(parts, part{next[at].culprit, b.accounts[next[at]]})
		}
		slices.SortFunc(parts, ix.compareParts)
		if a := together(parts); worth(a.worst(nobody)) {
			out = append(out, judgement{contention.Deadlock, parts, a, next[start].group})
		}
	}
	return out
}

// together is one account of all parts.
func together(parts []part) *account {
	if len(parts) == 1 {
		return parts[0].account
	}
	all := &account{}
	for _, p := range parts {
		all.merge(p.account)
	}
	return all
}

// informOfHotLocks tells of locks that cost much though nobody holds them for longer
// than the rest.
func informOfHotLocks(ix *index, b *book, accused []judgement, worth func(time.Duration) bool) []judgement {
	cost := make([]time.Duration, len(ix.objects)) // by group
	for key, a := range b.accounts {
		if key.how == byHolding {
			cost[key.group] += a.blame
		}
	}
	for _, j := range accused {
		cost[j.group] = 0
	}
	hot := make(map[resourceNo][]part)
	for key, a := range b.accounts {
		if key.how == byHolding && worth(cost[key.group]) {
			hot[key.group] = append(hot[key.group], part{key.culprit, a})
		}
	}
	var out []judgement
	for group, parts := range hot {
		slices.SortFunc(parts, ix.compareParts)
		if a := together(parts); worth(a.worst(nobody)) {
			out = append(out, judgement{contention.Contended, parts, a, group})
		}
	}
	return out
}

// tellLostWakeups makes one judgement of each thing for which threads wait that should
// have been woken. Who forgot them is not known.
func tellLostWakeups(b *book, worth func(time.Duration) bool) []judgement {
	var out []judgement
	for group, a := range b.forgotten {
		if worth(a.worst(nobody)) {
			out = append(out, judgement{class: contention.LostWakeup, account: a, group: group})
		}
	}
	return out
}

// informOfOutside tells of waiting that no thread is at fault for.
func informOfOutside(ix *index, b *book, worth func(time.Duration) bool) []judgement {
	var out []judgement
	for group, a := range b.external {
		class := contention.External
		if ix.objects[group].Kind == contention.Disk {
			class = contention.IO
		}
		if worth(a.worst(nobody)) {
			out = append(out, judgement{class: class, account: a, group: group})
		}
	}
	return out
}
