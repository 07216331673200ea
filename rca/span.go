// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// span is a stretch of time, [from, to).
type span struct{ from, to time.Duration }

func (s span) length() time.Duration { return max(0, s.to-s.from) }

// within returns the part of s inside other; its length is 0 if there is none.
func (s span) within(other span) span {
	return span{max(s.from, other.from), min(s.to, other.to)}
}

func compareSpans(a, b span) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
}

// spans collects stretches of time that may overlap.
type spans []span

// add puts s in; one that touches the one added last makes it longer.
func (l *spans) add(s span) {
	if last := len(*l) - 1; last >= 0 && s.from <= (*l)[last].to && s.to >= (*l)[last].from {
		(*l)[last] = span{min(s.from, (*l)[last].from), max(s.to, (*l)[last].to)}
		return
	}
	*l = append(*l, s)
}

// union returns the time that l covers, as spans that are apart and in order.
func (l spans) union() spans {
	sorted := slices.Clone(l)
	slices.SortFunc(sorted, compareSpans)
	out := sorted[:0]
	for _, s := range sorted {
		out.add(s)
	}
	return out
}

// overlap is how much of s lies in l, which is a union.
func (l spans) overlap(s span) time.Duration {
	var sum time.Duration
	for _, x := range l[sort.Search(len(l), func(i int) bool { return l[i].to > s.from }):] {
		if x.from >= s.to {
			break
		}
		sum += x.within(s).length()
	}
	return sum
}

// length is the time that l covers, which is a union.
func (l spans) length() time.Duration {
	var sum time.Duration
	for _, s := range l {
		sum += s.length()
	}
	return sum
}
