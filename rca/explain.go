// SPDX-License-Identifier: Apache-2.0

package rca

// maxDepth bounds how far a chain is followed. Real chains have two or three hops;
// the bound keeps a garbled trace from costing more than a long one.
const maxDepth = 10

// explanation is one wait being explained.
type explanation struct {
	*index
	*book
	stuck map[int32]threadNo // waits that are part of a deadlock, and for whom
	victim
	// path leads from the victim to the thread that is looked at.
	path []hop
}

// explainAll enters every wait of the trace into a book.
func explainAll(ix *index) *book {
	e := explanation{index: ix, book: newBook(ix), stuck: deadlocks(ix)}
	for i := range ix.waits {
		w := &ix.waits[i]
		s := w.within(ix.window)
		if s.length() == 0 {
			continue
		}
		o := &ix.objects[w.resource]
		e.count(o.Kind, s.length(), o.nature != choice)
		if o.nature != choice {
			e.victim = victim{w.thread, w.resource, int32(i), w.stack, w.open}
			e.split(int32(i), s)
		}
	}
	return e.book
}

// split charges the part s of wait i over the releases of what was waited for: the
// time between two releases belongs to whoever makes the later one.
func (e *explanation) split(i int32, s span) {
	w := &e.waits[i]
	if owner, ok := e.stuck[i]; ok {
		e.path = append(e.path, hop{w.thread, owner, w.resource, byOwner})
		e.charge(e.victim, byDeadlock, e.path, s)
		e.path = e.path[:len(e.path)-1]
		return
	}
	if e.objects[w.resource].nature.byThreads() {
		for _, r := range e.after(w.resource, s.from) {
			if s.length() == 0 || r.at > w.to && !e.endsLater(w) {
				break
			}
			part := span{s.from, min(r.at, s.to)}
			e.blameFor(hop{w.thread, r.thread, w.resource, r.evidence()}, part)
			s.from = part.to
		}
		if owner, ok := e.ownerThroughout(w); ok && s.length() > 0 {
			e.blameFor(hop{w.thread, owner, w.resource, byOwner}, s)
			return
		}
	}
	e.fallBack(e.path, s)
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
	case isWaiting(e.path, last.holder): // so it had nothing, and got it later from somebody unknown
		e.fallBack(e.path[:len(e.path)-1], s)
		return
	case way == byProducing && !e.observed[last.holder]: // it may have slept
		e.fallBack(e.path, s)
		return
	case len(e.path) > maxDepth:
		e.charge(e.victim, way, e.path, s)
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
		e.charge(e.victim, way, e.path, span{s.from, part.from})
		if ep.wait == wantsCPU {
			e.crowdedOut(way, ep, part)
		} else {
			e.split(ep.wait, part)
		}
		s.from = part.to
	}
	e.charge(e.victim, way, e.path, s)
}

// crowdedOut charges a part of an episode in which the thread at the end of the path
// wanted a CPU to who had it.
func (e *explanation) crowdedOut(way how, ep episode, s span) {
	holder := e.path[len(e.path)-1].holder
	if ep.occupant == nobody || ep.occupant == holder || isWaiting(e.path, ep.occupant) {
		e.chargeIdle(e.victim, way, e.path, s)
		return
	}
	e.path = append(e.path, hop{holder, ep.occupant, e.cpu, byCPU})
	e.crowdOut(e.victim, way, e.path, s, ep.from)
	e.path = e.path[:len(e.path)-1]
}

// fallBack enters what nobody further down the path answers for. A thread that
// waits, or sleeps, while it holds a lock answers for that to those who want the
// lock; so the nearest such on the path is charged. Without one, a wait that has not
// ended is open, and all else was for the outside world.
func (e *explanation) fallBack(path []hop, s span) {
	if s.length() == 0 {
		return
	}
	for n := len(path); n > 0; n-- {
		if e.objects[path[n-1].resource].lock {
			e.charge(e.victim, byHolding, path[:n], s)
			return
		}
	}
	if len(path) == 0 && e.open {
		e.totals.Open += s.length()
		return
	}
	e.passOver(e.victim, path, s)
}

// isWaiting reports whether a thread waits for another on the path.
func isWaiting(path []hop, thread threadNo) bool {
	for _, h := range path {
		if h.waiter == thread {
			return true
		}
	}
	return false
}
