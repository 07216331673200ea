// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
)

// queue is who waits for a resource throughout an interval. An interval is the time
// between two releases and is named by the place of the later one. It belongs to one
// thread, and what that one did meanwhile is the same for all who wait: it is followed
// once for all of them. Where n threads want a lock each wait lasts over n releases, and
// to follow each by itself would cost n times as much.
type queue struct {
	interval int
	waiting  []victim // by thread, for a tally likes the same order each time
}

// wholeIntervals returns the first interval of a resource that lies in s, and the last.
// The last is before the first if there is none, by one if there is a release in s.
func (ix *index) wholeIntervals(r resourceNo, s span) (first, last int) {
	o := &ix.objects[r]
	return 1 + o.firstAfter(s.from-1), o.firstAfter(s.to) - 1
}

// join puts a victim into the queue until its last interval is over. Advance has come to
// its first one.
func (e *explanation) join(v victim, last int) {
	v.last = int32(last)
	q := &e.queues[v.resource]
	i, _ := q.find(v.thread)
	q.waiting = slices.Insert(q.waiting, i, v)
}

func (q *queue) find(thread threadNo) (int, bool) {
	return slices.BinarySearchFunc(q.waiting, thread, func(v victim, t threadNo) int { return cmp.Compare(v.thread, t) })
}

// advance explains the intervals before next, in which all who joined waited.
func (e *explanation) advance(r resourceNo, next int) {
	q := &e.queues[r]
	for ; q.interval < next && len(q.waiting) > 0; q.interval++ {
		e.explainInterval(r, q)
		q.leave()
	}
	q.interval = max(q.interval, next)
}

// leave lets those go who wait no longer than this interval.
func (q *queue) leave() {
	for i := len(q.waiting) - 1; i >= 0; i-- {
		if int(q.waiting[i].last) == q.interval {
			q.waiting = slices.Delete(q.waiting, i, i+1)
		}
	}
}

// explainInterval follows the interval of q for a victim without name. What is found
// holds for all that were not met on the way; for each of the others it is done again.
func (e *explanation) explainInterval(r resourceNo, q *queue) {
	before, release := e.objects[r].releases[q.interval-1], e.objects[r].releases[q.interval]
	s := span{before.at, release.at}
	if s.length() == 0 {
		return
	}
	follow := func(waiter threadNo) {
		e.begin()
		e.blameHolders(hop{waiter, release.thread, r, release.evidence()}, s)
	}
	follow(nobody)
	met, others := q.sift(e.met)
	if len(others) > 0 {
		e.enter(e.leaves, others)
	}
	for _, v := range met {
		follow(v.thread)
		e.alone[0] = v
		e.enter(e.leaves, e.alone[:])
	}
}

// sift tells those who are among threads from the others. Mostly there are none: a thread
// that waits throughout does nothing else.
func (q *queue) sift(threads []threadNo) (among, others []victim) {
	if !slices.ContainsFunc(threads, func(t threadNo) bool { _, waits := q.find(t); return waits }) {
		return nil, q.waiting
	}
	for _, v := range q.waiting {
		if slices.Contains(threads, v.thread) {
			among = append(among, v)
		} else {
			others = append(others, v)
		}
	}
	return among, others
}
