// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// account is all that one thread is charged with over one resource.
type account struct {
	blame    time.Duration
	idle     time.Duration // of the blame: for time in which the culprit wanted a CPU
	victims  tally[threadNo, harm]
	hops     tally[hop, stretch]
	spans    spans // in which the culprit held the resource or was to produce
	evidence [evidences]time.Duration
	// members is how the blame divides over the resources of a group, where there
	// are several.
	members tally[resourceNo, time.Duration]
}

// harm is what one victim lost.
type harm struct {
	time    time.Duration
	idle    time.Duration // of time: while the culprit wanted a CPU
	waits   waitSet
	longest span
	stack   contention.StackID
}

// shareKey is what account a share belongs to, and whom the victims waited for first: of a
// pool there are several.
type shareKey struct {
	account *account
	first   threadNo
}

// share is what each victim of a part loses to one account.
type share struct {
	time, idle time.Duration
	longest    span
	path       []hop // of any leaf: the first hop is the same for all
}

// stretch is how long a hop lasted, and how near to the victim it is.
type stretch struct {
	time time.Duration
	near int // the nearer the more: less its place on the path
}

// add enters a leaf, but for what each victim lost. Cost is the time of all victims, and
// resource what the account answers for, of the group that it is an account of.
func (a *account) add(l *leaf, resource, group resourceNo, cost time.Duration) {
	a.blame += cost
	if l.idle {
		a.idle += cost
	}
	a.spans.add(l.span)
	if resource != group {
		*a.members.of(resource) += cost
	}
	for place := 1; place < len(l.path); place++ { // the first hop is each victim's own
		a.hops.of(l.path[place]).add(stretch{cost, nearness(place)})
	}
}

// nearness is that of a hop by its place on a path.
func nearness(place int) int { return maxDepth + 2 - place }

func (s *share) add(l *leaf) {
	s.time += l.length()
	if l.idle {
		s.idle += l.length()
	}
	if l.length() > s.longest.length() || l.length() == s.longest.length() && l.from < s.longest.from {
		s.longest = l.span
	}
	s.path = l.path
}

// harm notes what each victim lost, and by whom.
func (a *account) harm(victims []victim, s *share) {
	for i := range victims {
		v := &victims[i]
		a.victims.of(v.thread).add(v, s)
		if len(s.path) > 0 {
			first := s.path[0]
			first.waiter = v.thread
			a.hops.of(first).add(stretch{s.time, nearness(0)})
		}
	}
}

func (s *stretch) add(other stretch) {
	s.time += other.time
	s.near = max(s.near, other.near)
}

// resource is what an account of a group is told as: the resource that cost the most.
func (a *account) resource(ix *index, group resourceNo) resourceNo {
	most, cost := group, time.Duration(0)
	for _, e := range a.members.entries {
		if e.value > cost || e.value == cost && ix.compareResources(e.key, most) < 0 {
			most, cost = e.key, e.value
		}
	}
	return most
}

func (h *harm) add(v *victim, s *share) {
	h.time += s.time
	h.idle += s.idle
	h.waits.add(v.serial)
	h.see(s.longest, v.stack)
}

// see keeps the longest stretch, of those alike the first, and its stack.
func (h *harm) see(s span, stack contention.StackID) {
	longer := s.length() - h.longest.length()
	if longer > 0 || longer == 0 && (s.from < h.longest.from || s.from == h.longest.from && stack < h.stack) {
		h.longest, h.stack = s, stack
	}
}

// merge adds another account, which is left as it is, but for its spans.
func (a *account) merge(other *account) {
	a.blame += other.blame
	a.idle += other.idle
	for _, e := range other.victims.entries {
		a.victims.of(e.key).merge(e.value)
	}
	for _, e := range other.hops.entries {
		a.hops.of(e.key).add(e.value)
	}
	for e, d := range other.evidence {
		a.evidence[e] += d
	}
	for _, e := range other.members.entries {
		*a.members.of(e.key) += e.value
	}
}

func (h *harm) merge(other harm) {
	h.time += other.time
	h.idle += other.idle
	h.waits.merge(other.waits)
	h.see(other.longest, other.stack)
}

// worst is what the victim that was hit hardest lost. A thread is no victim of its
// own.
func (a *account) worst(culprit threadNo) time.Duration {
	return a.hardest(culprit, func(h *harm) time.Duration { return h.time })
}

// worstActive is what the victim lost that was hit hardest while the culprit did not
// merely want a CPU.
func (a *account) worstActive(culprit threadNo) time.Duration {
	return a.hardest(culprit, func(h *harm) time.Duration { return h.time - h.idle })
}

func (a *account) hardest(culprit threadNo, lost func(*harm) time.Duration) time.Duration {
	var worst time.Duration
	for i := range a.victims.entries {
		if e := &a.victims.entries[i]; e.key != culprit {
			worst = max(worst, lost(&e.value))
		}
	}
	return worst
}
