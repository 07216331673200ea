// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// maxDepth bounds how far a chain is followed. Real chains have two or three hops;
// the bound keeps a garbled trace from costing more than a long one.
const maxDepth = 10

// leaf is a part of a wait for which the thread at the end of the path answers.
type leaf struct {
	span
	how  how
	path []hop // from the victim
	idle bool  // the one who answers wanted a CPU
	// Of what is charged to who had a CPU: how the thread that wanted it would answer,
	// and since when it wanted it.
	kept  how
	since time.Duration
}

// first is the thread that the victim itself waited for, nobody if it is not known.
func (l *leaf) first() threadNo {
	if len(l.path) == 0 {
		return nobody
	}
	return l.path[0].holder
}

// explanation follows waits to those who answer for them.
type explanation struct {
	*index
	ledger
	stuck map[int32]threadNo // waits that are part of a deadlock, and for whom
	// spared are those who take no more of a CPU than is theirs.
	spared map[threadNo]bool
	queues []queue // by resourceNo
	// path leads from the victim to the thread that is looked at.
	path []hop
	// leaves is what was found of the part that is looked at; their paths are in hops.
	leaves []leaf
	hops   []hop
	// met are the threads for which the victim, if it were one of them, would matter.
	met   []threadNo
	alone [1]victim
}

// ledger takes down what became of a part of a wait that victims have in common. Who
// waits in the first hop of a path is each of them; if there is no path there is one.
type ledger interface {
	enter(leaves []leaf, victims []victim)
}

// explainAll enters every wait of the trace into a book, and of the times in which a
// thread wanted a CPU those for which another is to blame.
func explainAll(ix *index, spared map[threadNo]bool) *book {
	b := newBook(ix)
	for i := range ix.waits {
		w := &ix.waits[i]
		if d := w.within(ix.window).length(); d > 0 {
			o := &ix.objects[w.resource]
			b.count(o.Kind, d, o.nature != choice)
		}
	}
	for _, s := range ix.starvations(spared) {
		b.count(contention.CPU, s.span.length(), true)
	}
	explainInto(ix, b, spared)
	return b
}

// explainInto explains every wait that is not by choice, and what starved.
func explainInto(ix *index, into ledger, spared map[threadNo]bool) {
	e := explanation{
		index: ix, ledger: into, stuck: deadlocks(ix), spared: spared, queues: make([]queue, len(ix.objects)),
	}
	for i := range ix.waits {
		w := &ix.waits[i]
		if s := w.within(ix.window); s.length() > 0 && ix.objects[w.resource].nature != choice {
			e.explain(int32(i), s)
		}
	}
	for r := range e.queues {
		e.advance(resourceNo(r), len(ix.objects[r].releases))
	}
	for _, s := range ix.starvations(spared) {
		e.explainStarvation(&s)
	}
}

// explain explains the part s of wait i. The times between two releases that lie in it
// are the same for all who wait, and are left to the queue.
func (e *explanation) explain(i int32, s span) {
	w := &e.waits[i]
	v := victim{
		thread: w.thread, resource: w.resource, serial: w.serial, stack: w.stack,
		open: w.open, forgotten: e.isForgotten(w),
	}
	if e.objects[w.resource].nature.byThreads() {
		releases := e.objects[w.resource].releases
		first, last := e.wholeIntervals(w.resource, s)
		if first <= last {
			e.advance(w.resource, first)
			e.join(v, last)
		}
		if first <= last+1 {
			e.explainAlone(v, i, span{s.from, releases[first-1].at})
			s.from = releases[last].at
		}
	}
	e.explainAlone(v, i, s)
}

// explainAlone explains a part in which there is no release.
func (e *explanation) explainAlone(v victim, i int32, s span) {
	if s.length() == 0 {
		return
	}
	e.begin()
	e.split(i, s)
	e.alone[0] = v
	e.enter(e.leaves, e.alone[:])
}

// begin makes room for the leaves of another part.
func (e *explanation) begin() {
	e.leaves, e.hops, e.met = e.leaves[:0], e.hops[:0], e.met[:0]
}

// split follows the part s of wait i, over the releases of what was waited for: the
// time between two releases belongs to whoever makes the later one.
func (e *explanation) split(i int32, s span) {
	w := &e.waits[i]
	if together := e.togetherUntil(w).within(s); together.length() > 0 {
		e.fallBack(e.path, together)
		s.from = together.to
	}
	if e.objects[w.resource].nature.byThreads() {
		for _, r := range e.after(w.resource, s.from) {
			if s.length() == 0 || r.at > w.to && !e.endsLater(w) {
				break
			}
			part := span{s.from, min(r.at, s.to)}
			e.blameHolders(hop{w.thread, r.thread, w.resource, r.evidence()}, part)
			s.from = part.to
		}
		if owner, ok := e.stuck[i]; ok {
			e.path = append(e.path, hop{w.thread, owner, w.resource, byOwner})
			e.found(byDeadlock, e.path, s)
			e.path = e.path[:len(e.path)-1]
			return
		}
		if owner, ok := e.ownerThroughout(w); ok && s.length() > 0 {
			e.blameFor(hop{w.thread, owner, w.resource, byOwner}, s)
			return
		}
	}
	e.fallBack(e.path, s)
}

// blameHolders follows the thread that let a resource go or, if it is a pool, all that
// had a permit.
func (e *explanation) blameHolders(h hop, s span) {
	if !e.objects[h.resource].isPool() {
		e.blameFor(h, s)
		return
	}
	for _, part := range e.holdings(h, s) {
		e.blameFor(hop{h.waiter, part.thread, h.resource, h.evidence}, part.span)
	}
}

// endsLater reports whether a release that came after w was over still tells who w
// waited for. It does where w is a slice of a longer wait for a lock: it ended by a
// timer or a signal, and the thread tries again. It does not where a thread waits for
// what another makes, or on a word of its own: such a wait may have been meant to end
// by the timer.
func (e *explanation) endsLater(w *wait) bool {
	if !e.objects[w.resource].lock || e.private(w.resource) {
		return false
	}
	_, known := e.ownerThroughout(w) // who knows better
	return !known
}

// isForgotten reports whether what a thread sleeps for has come about, and nobody has
// woken it, or another, since.
func (e *explanation) isForgotten(w *wait) bool {
	return w.late.Has(contention.WordChanged) && len(e.after(w.resource, w.from)) == 0
}

// blameFor follows one more hop.
func (e *explanation) blameFor(h hop, s span) {
	e.path = append(e.path, h)
	e.answer(s)
	e.path = e.path[:len(e.path)-1]
}

// answer charges s to the thread at the end of the path, but for what held that
// thread up itself.
func (e *explanation) answer(s span) {
	last := e.path[len(e.path)-1]
	way := byProducing
	if e.objects[last.resource].lock {
		way = byHolding
	}
	switch {
	case e.isWaiting(last.holder): // so it had nothing, and got it later from somebody unknown
		e.fallBack(e.path[:len(e.path)-1], s)
		return
	case way == byProducing && !e.observed[last.holder]: // it may have slept
		e.fallBack(e.path, s)
		return
	case len(e.path) > maxDepth:
		e.found(way, e.path, s)
		return
	}
	for _, ep := range e.during(last.holder, s.from) {
		if ep.from >= s.to {
			break
		}
		part := ep.within(s)
		if part.length() == 0 {
			continue
		}
		e.found(way, e.path, span{s.from, part.from})
		if ep.wait == wantsCPU {
			e.crowdedOut(way, ep, part)
		} else {
			e.split(ep.wait, part)
		}
		s.from = part.to
	}
	e.found(way, e.path, s)
}

// crowdedOut charges a part of an episode in which the thread at the end of the path
// wanted a CPU to who had it. Of that for which nobody is to blame, as others may have
// had it earlier, the thread answers for itself, but is not accused for it.
func (e *explanation) crowdedOut(way how, ep episode, s span) {
	holder := e.path[len(e.path)-1].holder
	had := ep.occupation().within(s)
	if ep.occupant == nobody || ep.occupant == holder || e.isWaiting(ep.occupant) || e.spared[ep.occupant] || had.length() == 0 {
		had = span{s.to, s.to}
	}
	if idle := (span{s.from, had.from}); idle.length() > 0 {
		e.add(leaf{span: idle, how: way, idle: true}, e.path)
	}
	if had.length() > 0 {
		e.path = append(e.path, hop{holder, ep.occupant, e.cpu, e.evidenceOf(ep.occupant)})
		e.add(leaf{span: had, how: byOccupying, kept: way, since: ep.from}, e.path)
		e.path = e.path[:len(e.path)-1]
	}
}

// fallBack enters what nobody further down the path answers for. A thread that
// waits, or sleeps, while it holds a lock answers for that to those who want the
// lock; so the nearest such on the path is charged. Without one, nobody is.
func (e *explanation) fallBack(path []hop, s span) {
	for n := len(path); n > 0; n-- {
		if e.objects[path[n-1].resource].lock {
			e.found(byHolding, path[:n], s)
			return
		}
	}
	e.found(byNobody, path, s)
}

// found adds a leaf.
func (e *explanation) found(how how, path []hop, s span) {
	if s.length() > 0 {
		e.add(leaf{span: s, how: how}, path)
	}
}

func (e *explanation) add(l leaf, path []hop) {
	begin := len(e.hops)
	e.hops = append(e.hops, path...)
	l.path = e.hops[begin:len(e.hops):len(e.hops)]
	e.leaves = append(e.leaves, l)
}

// isWaiting reports whether a thread waits for another on the path.
func (e *explanation) isWaiting(thread threadNo) bool {
	e.met = append(e.met, thread)
	for _, h := range e.path {
		if h.waiter == thread {
			return true
		}
	}
	return false
}
