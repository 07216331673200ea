// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"math/bits"
	"slices"
)

// waitSet is a set of waits of one thread, by their serials. What holds a thread up does
// so in many waits one after the other, so the set is kept as bits.
type waitSet struct {
	latest block
	blocks []block // all others; some may be in it twice
}

// block is which of 32 waits are in a set.
type block struct {
	number int32
	bits   uint32
}

func (s *waitSet) add(serial int32) {
	if number := serial / 32; number != s.latest.number {
		if s.latest.bits != 0 {
			s.blocks = append(s.blocks, s.latest)
		}
		s.latest = block{number: number}
	}
	s.latest.bits |= 1 << (serial % 32)
}

// merge adds another set, which is left as it is.
func (s *waitSet) merge(other waitSet) {
	s.blocks = compact(append(append(s.blocks, other.blocks...), other.latest))
}

// count is how many waits are in the set.
func (s *waitSet) count() int {
	n := 0
	for _, b := range compact(append(slices.Clone(s.blocks), s.latest)) {
		n += bits.OnesCount32(b.bits)
	}
	return n
}

// compact puts blocks in order, in place, and each but once.
func compact(blocks []block) []block {
	slices.SortFunc(blocks, func(a, b block) int { return cmp.Compare(a.number, b.number) })
	out := blocks[:0]
	for _, b := range blocks {
		if last := len(out) - 1; last >= 0 && out[last].number == b.number {
			out[last].bits |= b.bits
		} else {
			out = append(out, b)
		}
	}
	return out
}
