// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// Where a program has one lock for each part of its data, a thread that holds all of them
// for long costs little over any one. What it costs over those of one kind is judged
// together.

// scattered is what each thread answers for over the locks of one kind that nobody is
// accused of holding.
type scattered map[contention.Kind]map[threadNo][]accountKey

func scatter(ix *index, b *book, accused []judgement) scattered {
	told := make(map[resourceNo]bool)
	for _, j := range accused {
		told[j.group] = true
	}
	out := make(scattered)
	for key := range b.accounts {
		if key.how != byHolding || told[key.group] {
			continue
		}
		kind := ix.objects[key.group].Kind
		if out[kind] == nil {
			out[kind] = make(map[threadNo][]accountKey)
		}
		out[kind][key.culprit] = append(out[kind][key.culprit], key)
	}
	return out
}

// accuseScattered names who holds many locks for longer than others do.
func accuseScattered(ix *index, b *book, accused []judgement, worth func(time.Duration) bool) []judgement {
	var out []judgement
	for _, holders := range scatter(ix, b, accused) {
		all := sumsOf(ix, b, holders)
		for thread, keys := range holders {
			if len(keys) < 2 {
				continue
			}
			slices.SortFunc(keys, func(x, y accountKey) int {
				return cmp.Or(cmp.Compare(b.accounts[y].blame, b.accounts[x].blame), ix.compareResources(x.group, y.group))
			})
			parts := make([]part, len(keys))
			var held spans
			for i, key := range keys {
				parts[i] = part{thread, b.accounts[key]}
				held = append(held, parts[i].spans...)
			}
			a := together(parts)
			a.spans = held
			if worth(a.worstActive(thread)) && a.blame >= alike*medianOfOthers(all, a.blame) {
				out = append(out, judgement{classOf(ix, keys[0]), []part{{thread, a}}, a, keys[0].group})
			}
		}
	}
	return out
}

// sumsOf lists what each who wants, or has, any of these locks answers for, in order.
func sumsOf(ix *index, b *book, holders map[threadNo][]accountKey) []time.Duration {
	taken := make(map[threadNo]bool)
	sums := make([]time.Duration, 0, len(holders))
	for thread, keys := range holders {
		taken[thread] = true
		var sum time.Duration
		for _, key := range keys {
			sum += b.accounts[key].blame
		}
		sums = append(sums, sum)
	}
	wanting := make(map[threadNo]bool)
	for _, keys := range holders {
		for _, key := range keys {
			for _, member := range ix.membersOf(key.group) {
				ix.objects[member].mark(wanting)
			}
		}
	}
	for thread := range wanting {
		if !taken[thread] {
			sums = append(sums, 0)
		}
	}
	slices.Sort(sums)
	return sums
}
