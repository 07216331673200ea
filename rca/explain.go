// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"slices"

	"github.com/os2026/ebpf-rca/contention"
)

// maxDepth bounds how far a chain is followed.
const maxDepth = 10

// victim is whose wait is being explained.
type victim struct {
	thread   contention.ThreadID
	resource contention.Resource
	wait     int
	stack    contention.StackID
}

// explanation is one wait being explained.
type explanation struct {
	*index
	book  *book
	stuck map[int]contention.ThreadID // waits that are part of a deadlock, and for whom
	victim
}

// explainAll enters every wait of the trace into a book.
func explainAll(ix *index) *book {
	b := newBook()
	stuck := deadlocks(ix)
	for i, w := range ix.trace.Waits {
		s := span{w.Begin, ix.end(w)}.within(ix.window)
		if s.length() == 0 {
			continue
		}
		kind := b.totals.ByKind[w.Resource.Kind]
		kind.Waits++
		kind.WaitTime += s.length()
		b.totals.ByKind[w.Resource.Kind] = kind
		if natureOf(w.Resource.Kind) == choice {
			continue
		}
		b.totals.Waits++
		b.totals.WaitTime += s.length()
		e := explanation{ix, b, stuck, victim{w.Thread, w.Resource, i, w.Stack}}
		if rest := e.split(i, s, nil); rest.length() > 0 {
			e.leave(w, rest)
		}
	}
	return b
}

// leave enters what no release explains: a wait that something else ended was for
// the outside world, and one that nothing ended is open.
func (e *explanation) leave(w contention.Wait, rest span) {
	if w.Open() {
		e.book.totals.Open += rest.length()
		return
	}
	e.book.passOver(e.victim, nil, rest)
}

// split charges the part s of wait i over the releases of what was waited for, and
// returns what is left behind the last of them. path leads to the waiter.
func (e *explanation) split(i int, s span, path []hop) span {
	w := e.trace.Waits[i]
	if natureOf(w.Resource.Kind) == outside {
		return s
	}
	if owner, ok := e.stuck[i]; ok {
		e.book.charge(e.victim, owner, byDeadlock, extend(path, w, owner, contention.ByOwner), s)
		return span{}
	}
	for _, r := range e.after(w.Resource, s.from) {
		if s.length() == 0 {
			break
		}
		part := span{s.from, min(r.at, s.to)}
		evidence := contention.ByWaker
		if r.certain {
			evidence = contention.ByRelease
		}
		e.answer(r.thread, part, extend(path, w, r.thread, evidence))
		s.from = part.to
	}
	if owner, ok := e.ownerOf(w); ok && s.length() > 0 && len(e.after(w.Resource, w.Begin)) == 0 {
		// Whoever had it when the wait began has it still: it could not let it go
		// without waking somebody.
		e.answer(owner, s, extend(path, w, owner, contention.ByOwner))
		return span{}
	}
	return s
}

func extend(path []hop, w contention.Wait, holder contention.ThreadID, evidence contention.Evidence) []hop {
	return append(slices.Clip(path), hop{w.Thread, holder, w.Resource, evidence})
}

// answer charges s to the thread at the end of path, but for what held that thread
// up itself.
func (e *explanation) answer(holder contention.ThreadID, s span, path []hop) {
	way := byProducing
	if e.locks[path[len(path)-1].resource] {
		way = byHolding
	}
	if holder == e.thread || len(path) > maxDepth || revisits(path) {
		e.book.charge(e.victim, holder, way, path, s)
		return
	}
	for _, ep := range e.during(holder, s.from) {
		if ep.from >= s.to {
			break
		}
		part := ep.within(s)
		if part.length() == 0 {
			continue
		}
		e.chargeIfAny(holder, way, path, span{s.from, part.from})
		e.heldUp(holder, way, ep, part, path)
		s.from = part.to
	}
	e.chargeIfAny(holder, way, path, s)
}

func (e *explanation) chargeIfAny(holder contention.ThreadID, way how, path []hop, s span) {
	if s.length() > 0 {
		e.book.charge(e.victim, holder, way, path, s)
	}
}

// heldUp charges a part in which the holder itself did not run.
func (e *explanation) heldUp(holder contention.ThreadID, way how, ep episode, part span, path []hop) {
	if ep.wait == wantsCPU {
		e.crowdedOut(holder, way, ep, part, path)
		return
	}
	w := e.trace.Waits[ep.wait]
	rest := part
	if natureOf(w.Resource.Kind) != choice {
		rest = e.split(ep.wait, part, path)
	}
	if rest.length() == 0 {
		return
	}
	// It slept of its own accord, or for the outside world.
	if way == byHolding {
		e.book.charge(e.victim, holder, way, path, rest)
	} else {
		e.book.passOver(e.victim, path, rest)
	}
}

// crowdedOut charges a part in which the holder wanted a CPU to who had it.
func (e *explanation) crowdedOut(holder contention.ThreadID, way how, ep episode, part span, path []hop) {
	if ep.occupant.IsZero() || ep.occupant == holder {
		e.book.charge(e.victim, holder, way, path, part)
		return
	}
	cpu := hop{holder, ep.occupant, contention.Resource{Kind: contention.CPU}, contention.ByCPU}
	e.book.charge(e.victim, ep.occupant, byOccupying, append(slices.Clip(path), cpu), part)
}

// revisits reports whether the thread at the end of path is on it already.
func revisits(path []hop) bool {
	last := path[len(path)-1].holder
	for _, h := range path {
		if h.waiter == last {
			return true
		}
	}
	return false
}
