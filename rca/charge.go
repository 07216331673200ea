// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// how a thread came to be charged.
type how int8

const (
	byHolding how = iota
	byProducing
	byOccupying // the CPU of the thread that held or produced
	byDeadlock
)

// evidence is how a hop is known.
type evidence int8

const (
	byRelease evidence = iota
	byOwner
	byWaker
	byCPU
	evidences // how many there are
)

func (e evidence) public() contention.Evidence {
	return [evidences]contention.Evidence{
		contention.ByRelease, contention.ByOwner, contention.ByWaker, contention.ByCPU,
	}[e]
}

func (r release) evidence() evidence {
	if r.certain {
		return byRelease
	}
	return byWaker
}

// victim is whose wait is being explained.
type victim struct {
	thread   threadNo
	resource resourceNo
	wait     int32
	stack    contention.StackID
	open     bool
}

// accountKey is what charges are added up by.
type accountKey struct {
	culprit threadNo
	group   resourceNo // of the last resource of the chain, which the culprit itself held up
	how     how
}

// account is all that one thread is charged with over one resource.
type account struct {
	blame    time.Duration
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
	waits   []int32       // some may be in it twice
	longest span
	stack   contention.StackID
}

// hop is one step of a chain: who waited for whom, over what, and how that is known.
type hop struct {
	waiter, holder threadNo
	resource       resourceNo
	evidence       evidence
}

// stretch is how long a hop lasted, and how near to the victim it is.
type stretch struct {
	time time.Duration
	near int // the nearer the more: less its place on the path
}

// book is where all waiting is entered.
type book struct {
	ix       *index
	accounts map[accountKey]*account
	// external is waiting for what nobody of the target is at fault for, by the group
	// of what was waited for.
	external map[resourceNo]*account
	// crowdings are the parts charged over a CPU.
	crowdings []crowding
	totals    contention.Totals
}

func newBook(ix *index) *book {
	return &book{
		ix:       ix,
		accounts: make(map[accountKey]*account),
		external: make(map[resourceNo]*account),
		totals:   contention.Totals{ByKind: make(map[contention.Kind]contention.KindTotal)},
	}
}

// count enters a wait into the totals. One by choice is listed, and not added up.
func (b *book) count(k contention.Kind, d time.Duration, adds bool) {
	kind := b.totals.ByKind[k]
	kind.Waits++
	kind.WaitTime += d
	b.totals.ByKind[k] = kind
	if adds {
		b.totals.Waits++
		b.totals.WaitTime += d
	}
}

// charge enters a part of a wait as the doing of the thread at the end of path.
func (b *book) charge(v victim, how how, path []hop, s span) {
	if s.length() == 0 {
		return
	}
	last, key := path[len(path)-1], b.key(how, path)
	a := b.accounts[key]
	if a == nil {
		a = &account{}
		b.accounts[key] = a
	}
	a.add(v, path, s)
	a.evidence[last.evidence] += s.length()
	if last.resource != key.group {
		*a.members.of(last.resource) += s.length()
	}
	b.totals.Blame += s.length()
}

// key names the account of the thread at the end of path.
func (b *book) key(how how, path []hop) accountKey {
	last := path[len(path)-1]
	return accountKey{last.holder, b.ix.objects[last.resource].group, how}
}

// passOver enters a part of a wait as nobody's fault.
func (b *book) passOver(v victim, path []hop, s span) {
	group := b.ix.objects[v.resource].group
	a := b.external[group]
	if a == nil {
		a = &account{}
		b.external[group] = a
	}
	a.add(v, path, s)
	if v.resource != group {
		*a.members.of(v.resource) += s.length()
	}
	b.totals.External += s.length()
}

// acquit moves a whole account to the external ones.
func (b *book) acquit(key accountKey) {
	a := b.accounts[key]
	delete(b.accounts, key)
	b.totals.Blame -= a.blame
	b.totals.External += a.blame
	into := b.external[key.group]
	if into == nil {
		into = &account{}
		b.external[key.group] = into
	}
	into.merge(a)
}

func (a *account) add(v victim, path []hop, s span) {
	length := s.length()
	a.blame += length
	a.spans.add(s)
	a.victims.of(v.thread).add(v, s)
	for place, hop := range path {
		a.hops.of(hop).add(stretch{length, maxDepth + 2 - place})
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

func (h *harm) add(v victim, s span) {
	h.time += s.length()
	if last := len(h.waits) - 1; last < 0 || h.waits[last] != v.wait {
		h.waits = append(h.waits, v.wait)
	}
	h.see(s, v.stack)
}

// see keeps the longest stretch, of those alike the first, and its stack.
func (h *harm) see(s span, stack contention.StackID) {
	longer := s.length() - h.longest.length()
	if longer > 0 || longer == 0 && (s.from < h.longest.from || s.from == h.longest.from && stack < h.stack) {
		h.longest, h.stack = s, stack
	}
}

// count is how many waits were hit.
func (h *harm) count() int {
	slices.Sort(h.waits)
	h.waits = slices.Compact(h.waits)
	return len(h.waits)
}

// merge adds another account, which is left as it is.
func (a *account) merge(other *account) {
	a.blame += other.blame
	a.spans = append(a.spans, other.spans...)
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
	h.waits = append(h.waits, other.waits...)
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

// idle is how much of the blame is for time in which the culprit wanted a CPU.
func (a *account) idle() time.Duration {
	var idle time.Duration
	for i := range a.victims.entries {
		idle += a.victims.entries[i].value.idle
	}
	return idle
}
