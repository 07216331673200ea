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
type comparison struct{ blame, length *usual }

func newComparison(ix *index, b *book) comparison {
	return comparison{newUsual(ix, b, blameOf), newUsual(ix, b, (*account).meanHold)}
}

// standsOut reports whether a thread holds a lock for much longer in all than others do:
// each time, or as long as they do and far more often than most of them. A few holds more
// may fall to it by chance, and one that seldom wants a lock makes none of the others a
// culprit.
func (c comparison) standsOut(key accountKey, a *account) bool {
	if a.blame < chance*c.blame.of(key) {
		return false
	}
	holds := a.spans.union()
	longer := mean(holds) >= alike*c.length.of(key)
	return longer || len(holds) >= manyHolds && a.blame >= alike*c.blame.upper(key)
}

// meanHold measures an account by how long the culprit had at a time what others waited
// for.
func (a *account) meanHold() time.Duration { return mean(a.spans.union()) }

// mean is the mean length of spans that are apart, 0 if there are none.
func mean(union spans) time.Duration {
	if len(union) == 0 {
		return 0
	}
	return union.length() / time.Duration(len(union))
}
