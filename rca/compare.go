// SPDX-License-Identifier: Apache-2.0

package rca

import "time"

// alike is how many times more than another a thread must answer for to differ from
// it: up to this, two threads hold a lock, or wait for each other, for a like time.
// Chance and an uneven scheduler make two equal threads differ by a factor of two
// within a few seconds; an injected fault differs by ten and more.
const alike = 3

// The other bounds of what chance may make of equal threads: by how much they differ at
// most, and from how many holds on a difference in their number is none of chance.
const (
	chance    = 2
	manyHolds = 20
)

// comparison holds those who hold a lock against each other.
type comparison struct {
	blame, length *usual
	holds         holds
}

func newComparison(ix *index, b *book) comparison {
	h := holds{ix, make(map[resourceNo]map[threadNo]holdSum)}
	length := func(key accountKey, a *account) time.Duration { return h.of(key, a).mean() }
	return comparison{newUsual(ix, b, blameOf), newUsual(ix, b, length), h}
}

// standsOut reports whether a thread holds a lock for much longer in all than others do:
// each time, or as long as they do and far more often than most of them. A few holds more
// may fall to it by chance, and one that seldom wants a lock makes none of the others a
// culprit.
func (c comparison) standsOut(key accountKey, a *account) bool {
	if a.blame < chance*c.blame.of(key) {
		return false
	}
	sum := c.holds.of(key, a)
	longer := sum.mean() >= alike*c.length.of(key)
	return longer || sum.count >= manyHolds && a.blame >= alike*c.blame.upper(key)
}

// holdSum is how often a thread had something, and for how long in all.
type holdSum struct {
	count int
	time  time.Duration
}

// mean is 0 if there are none.
func (s holdSum) mean() time.Duration {
	if s.count == 0 {
		return 0
	}
	return s.time / time.Duration(s.count)
}

// holds finds how often culprits had what others waited for.
type holds struct {
	ix    *index
	pools map[resourceNo]map[threadNo]holdSum
}

// of goes by the spans of an account, but where it is of a pool by the permits: each span is
// then a share of the time, cut off at every release.
func (h holds) of(key accountKey, a *account) holdSum {
	if sum, ok := h.pool(key.group)[key.culprit]; ok {
		return sum
	}
	union := a.spans.union()
	return holdSum{len(union), union.length()}
}

func (h holds) pool(r resourceNo) map[threadNo]holdSum {
	sums, ok := h.pools[r]
	if !ok {
		sums = make(map[threadNo]holdSum)
		for _, p := range h.ix.objects[r].permits {
			sum := sums[p.thread]
			sum.count++
			sum.time += p.length()
			sums[p.thread] = sum
		}
		h.pools[r] = sums
	}
	return sums
}
