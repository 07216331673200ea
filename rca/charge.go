// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// how a thread came to be charged.
type how int

const (
	byHolding how = iota
	byProducing
	byOccupying // the CPU of the thread that held or produced
	byDeadlock
)

// accountKey is what charges are added up by.
type accountKey struct {
	culprit  contention.ThreadID
	resource contention.Resource // the last of the chain, which the culprit itself held up
	how      how
}

// account is all that one thread is charged with over one resource.
type account struct {
	blame    time.Duration
	victims  map[contention.ThreadID]*harm
	hops     map[hop]*stretch
	spans    []span // in which the culprit held the resource or was to produce
	evidence map[contention.Evidence]time.Duration
}

// harm is what one victim lost.
type harm struct {
	time    time.Duration
	waits   int
	last    int // the wait that was counted last
	longest span
	stack   contention.StackID
}

// hop is one step of a chain: who waited for whom, over what, and how that is known.
type hop struct {
	waiter, holder contention.ThreadID
	resource       contention.Resource
	evidence       contention.Evidence
}

// stretch is how long a hop lasted, and how far from the victim it is.
type stretch struct {
	time  time.Duration
	depth int
}

// book is where all waiting is entered.
type book struct {
	accounts map[accountKey]*account
	// external is waiting for what nobody of the target is at fault for, by what was
	// waited for.
	external map[contention.Resource]*account
	totals   contention.Totals
}

func newBook() *book {
	return &book{
		accounts: make(map[accountKey]*account),
		external: make(map[contention.Resource]*account),
		totals:   contention.Totals{ByKind: make(map[contention.Kind]contention.KindTotal)},
	}
}

func newAccount() *account {
	return &account{
		victims:  make(map[contention.ThreadID]*harm),
		hops:     make(map[hop]*stretch),
		evidence: make(map[contention.Evidence]time.Duration),
	}
}

// charge enters a part of a wait as the culprit's doing. path leads to the culprit.
func (b *book) charge(v victim, culprit contention.ThreadID, how how, path []hop, s span) {
	last := path[len(path)-1]
	key := accountKey{culprit, last.resource, how}
	a := b.accounts[key]
	if a == nil {
		a = newAccount()
		b.accounts[key] = a
	}
	a.add(v, path, s)
	b.totals.Blame += s.length()
}

// passOver enters a part of a wait as nobody's fault.
func (b *book) passOver(v victim, path []hop, s span) {
	a := b.external[v.resource]
	if a == nil {
		a = newAccount()
		b.external[v.resource] = a
	}
	a.add(v, path, s)
	b.totals.External += s.length()
}

// acquit moves a whole account to the external ones.
func (b *book) acquit(key accountKey) {
	a := b.accounts[key]
	delete(b.accounts, key)
	b.totals.Blame -= a.blame
	b.totals.External += a.blame
	into := b.external[key.resource]
	if into == nil {
		b.external[key.resource] = a
		return
	}
	into.merge(a)
}

func (a *account) add(v victim, path []hop, s span) {
	length := s.length()
	a.blame += length
	a.spans = append(a.spans, s)
	h := a.victims[v.thread]
	if h == nil {
		h = &harm{last: -1}
		a.victims[v.thread] = h
	}
	h.time += length
	if h.last != v.wait {
		h.waits++
		h.last = v.wait
	}
	if length > h.longest.length() {
		h.longest, h.stack = s, v.stack
	}
	for depth, hop := range path {
		st := a.hops[hop]
		if st == nil {
			st = &stretch{depth: depth}
			a.hops[hop] = st
		}
		st.time += length
		st.depth = min(st.depth, depth)
	}
	if len(path) > 0 {
		a.evidence[path[len(path)-1].evidence] += length
	}
}

func (a *account) merge(other *account) {
	a.blame += other.blame
	a.spans = append(a.spans, other.spans...)
	for id, h := range other.victims {
		if mine := a.victims[id]; mine != nil {
			mine.time += h.time
			mine.waits += h.waits
		} else {
			a.victims[id] = h
		}
	}
	for hop, st := range other.hops {
		if mine := a.hops[hop]; mine != nil {
			mine.time += st.time
			mine.depth = min(mine.depth, st.depth)
		} else {
			a.hops[hop] = st
		}
	}
	for e, d := range other.evidence {
		a.evidence[e] += d
	}
}

// worst is what the victim that was hit hardest lost. A thread is no victim of its
// own.
func (a *account) worst(culprit contention.ThreadID) time.Duration {
	var worst time.Duration
	for id, h := range a.victims {
		if id != culprit {
			worst = max(worst, h.time)
		}
	}
	return worst
}
