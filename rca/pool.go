// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// A pool hands out several permits, so several threads have what others wait for. Which
// is one is told by behaviour, as a semaphore is a lock if it has a single permit.

// holding is a time in which a thread had what others waited for.
type holding struct {
	span
	thread threadNo
}

// permit is a time in which a thread had a permit: from when it was woken to when it let
// somebody else in.
type permit struct {
	holding
	reach time.Duration // when the last of this and those before it ends
}

// minProofs is how often a thread must have been seen to have what another gave back, and
// proofShare how many permits may go without a proof for each that has one.
const (
	minProofs  = 3
	proofShare = 20
)

// findPools gives the locks that are pools their permits.
func (ix *index) findPools() {
	waits := make(map[resourceNo][]int32)
	for i := range ix.waits {
		if w := &ix.waits[i]; ix.objects[w.resource].nature == either && ix.objects[w.resource].lock && !w.open {
			waits[w.resource] = append(waits[w.resource], int32(i))
		}
	}
	for r, list := range waits {
		if permits := ix.permits(r, list); ix.provesPool(r, list, permits) {
			ix.objects[r].permits = permits
		}
	}
}

// permits lists when who had a permit for which it had waited, in order of time. One that
// it gave back while nobody waited has no end that could be seen, and is left out.
func (ix *index) permits(r resourceNo, waits []int32) []permit {
	ends := make(map[threadNo][]time.Duration) // of its releases
	for _, rel := range ix.objects[r].releases {
		ends[rel.thread] = append(ends[rel.thread], rel.at)
	}
	again := make(map[threadNo]time.Duration) // when it waited next
	var out []permit
	for _, i := range slices.Backward(waits) {
		w := &ix.waits[i]
		list := ends[w.thread]
		n := sort.Search(len(list), func(n int) bool { return list[n] > w.to })
		next, waitsAgain := again[w.thread]
		if n < len(list) && (!waitsAgain || list[n] <= next) {
			out = append(out, permit{holding: holding{span{w.to, list[n]}, w.thread}})
		}
		again[w.thread] = w.from
	}
	slices.SortFunc(out, func(a, b permit) int {
		return cmp.Or(compareSpans(a.span, b.span), ix.compareThreads(a.thread, b.thread))
	})
	for n := range out {
		out[n].reach = out[n].to
		if n > 0 {
			out[n].reach = max(out[n].reach, out[n-1].reach)
		}
	}
	return out
}

// provesPool reports whether a thread let somebody in while another had what it gave
// back, and this not by chance. That the other had it is certain if a third waited all
// the while: it could not have let go without letting that one in.
func (ix *index) provesPool(r resourceNo, waits []int32, permits []permit) bool {
	ends := make([]time.Duration, len(waits)) // the latest of those that began up to there
	for n, i := range waits {
		ends[n] = ix.waits[i].to
		if n > 0 {
			ends[n] = max(ends[n], ends[n-1])
		}
	}
	proofs := 0
	for _, t := range permits {
		later := ix.after(r, t.from)
		began := sort.Search(len(waits), func(n int) bool { return ix.waits[waits[n]].from > t.from })
		if later[0].at < t.to && began > 0 && ends[began-1] >= later[0].at {
			proofs++
		}
	}
	return proofs >= minProofs && proofShare*proofs >= len(permits)
}

func (o *object) isPool() bool { return len(o.permits) > 0 }

// holdings divides the time before a release of a pool evenly among all that are known to
// have had a permit. Where none is, it belongs to the one that let go.
func (ix *index) holdings(last hop, s span) []holding {
	var out []holding
	for s.length() > 0 {
		holders, part := ix.holders(last.resource, s)
		if len(holders) == 0 {
			holders = []threadNo{last.holder}
		}
		s.from = part.to
		for n, holder := range holders {
			to := part.from + part.length()/time.Duration(len(holders)-n)
			out = append(out, holding{span{part.from, to}, holder})
			part.from = to
		}
	}
	return out
}

// holders returns who had a permit of a pool as s began, and the part of s in which these
// and no others had one.
func (ix *index) holders(resource resourceNo, s span) ([]threadNo, span) {
	list := ix.objects[resource].permits
	next := sort.Search(len(list), func(n int) bool { return list[n].from > s.from })
	if next < len(list) {
		s.to = min(s.to, list[next].from)
	}
	var holders []threadNo
	for n := next - 1; n >= 0 && list[n].reach > s.from; n-- {
		if list[n].to > s.from {
			holders = append(holders, list[n].thread)
			s.to = min(s.to, list[n].to)
		}
	}
	return holders, s
}
