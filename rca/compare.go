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

// standsOut reports whether a thread holds a lock for much longer in all than others do. A
// few holds that are as long as those of others may fall to it by chance. Where each of
// its holds is much longer than those of others, less will do in all.
func (c comparison) standsOut(key accountKey, a *account) bool {
	usual := c.blame.of(key)
	if a.blame < chance*usual {
		return false
	}
	holds := a.spans.union()
	longer := mean(holds) >= alike*c.length.of(key)
	return longer || a.blame >= alike*usual && len(holds) >= manyHolds
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
