// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"cmp"
	"container/heap"
	"slices"
)

// span is the addresses from low up to, not including, high that belong to id.
type span struct {
	low, high uint64
	id        int32
}

// nobody is the id of addresses that belong to nobody.
const nobody int32 = -1

// segment is the addresses from start to the start of the next segment.
type segment struct {
	start uint64
	id    int32
}

const segmentBytes = 16

// byStart orders spans by address; of those that start together, the first to win.
func byStart(a, b span) int {
	return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.id, b.id))
}

// union returns the addresses of spans as sorted spans apart from each other.
func union(spans []span) []span {
	slices.SortFunc(spans, byStart)
	var out []span
	for _, s := range spans {
		if last := len(out) - 1; last >= 0 && s.low <= out[last].high {
			out[last].high = max(out[last].high, s.high)
			continue
		}
		out = append(out, s)
	}
	return out
}

// flatten cuts spans, which it sorts, into segments such that every address belongs to
// the span with the highest id of those that contain it. There are at most two
// segments to a span.
func flatten(spans []span) []segment {
	slices.SortFunc(spans, byStart)
	var (
		out  []segment
		open byID // of spans that start at or before here
		next int
	)
	for next < len(spans) || len(open) > 0 {
		var here uint64
		if len(open) == 0 || (next < len(spans) && spans[next].low <= open[0].high) {
			here = spans[next].low
			for ; next < len(spans) && spans[next].low == here; next++ {
				heap.Push(&open, spans[next])
			}
		} else {
			here = open[0].high
		}
		for len(open) > 0 && open[0].high <= here {
			heap.Pop(&open)
		}
		owner := nobody
		if len(open) > 0 {
			owner = open[0].id
		}
		if last := len(out) - 1; last < 0 || out[last].id != owner {
			out = append(out, segment{here, owner})
		}
	}
	return slices.Clip(out)
}

// byID is a heap of spans with the highest id on top.
type byID []span

func (h byID) Len() int           { return len(h) }
func (h byID) Less(i, j int) bool { return h[i].id > h[j].id }
func (h byID) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byID) Push(x any)        { *h = append(*h, x.(span)) }
func (h *byID) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// find returns whom an address belongs to.
func find(segments []segment, address uint64) int32 {
	i, exact := slices.BinarySearchFunc(segments, address, func(s segment, address uint64) int {
		return cmp.Compare(s.start, address)
	})
	if exact {
		return segments[i].id
	}
	if i == 0 {
		return nobody
	}
	return segments[i-1].id
}
