// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// maxStacks bounds how many stacks a finding shows.
const maxStacks = 10

type stackKey struct {
	role  contention.Role
	stack contention.StackID
}

// weights is how long each stack stood for.
type weights map[stackKey]time.Duration

// alike adds up stacks that differ only in where their functions stood, as samples of
// one loop do: the heaviest stands for all.
func (w weights) alike(ix *index) weights {
	type shape struct {
		role  contention.Role
		calls string
	}
	heaviest := make(map[shape]stackKey)
	sums := make(map[shape]time.Duration)
	for key, d := range w {
		s := shape{key.role, calls(ix.trace.Stack(key.stack))}
		sums[s] += d
		best, ok := heaviest[s]
		if !ok || d > w[best] || d == w[best] && key.stack < best.stack {
			heaviest[s] = key
		}
	}
	out := make(weights, len(sums))
	for s, d := range sums {
		out[heaviest[s]] = d
	}
	return out
}

// calls lists the functions of a stack, and the place of what has no name.
func calls(stack contention.Stack) string {
	var text []byte
	for _, f := range stack {
		place := f.Address
		if f.Function != "" {
			place = 0
		}
		text = fmt.Appendf(text, "%s\x00%s\x00%x\n", f.Function, f.Module, uint64(place))
	}
	return string(text)
}

// holdingStacks shows what the threads that answer for j did while they held the
// others up, and where they let go, the longest first.
func holdingStacks(ix *index, j judgement) []contention.WeightedStack {
	w := make(weights)
	for _, p := range j.parts {
		held := p.spans.union()
		off := w.addOffCPU(ix, p.thread, held)
		w.addSamples(ix, p.thread, held, held.length()-off)
		w.addReleases(ix, p.thread, j.group, held)
	}
	w = w.alike(ix)
	keys := make([]stackKey, 0, len(w))
	for key := range w {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b stackKey) int {
		return cmp.Or(
			compareBool(a.role != contention.ReleaseStack, b.role != contention.ReleaseStack),
			cmp.Compare(w[b], w[a]),
			cmp.Compare(a.role, b.role),
			cmp.Compare(a.stack, b.stack),
		)
	})
	out := make([]contention.WeightedStack, 0, min(len(keys), maxStacks))
	for _, key := range keys[:min(len(keys), maxStacks)] {
		out = append(out, contention.WeightedStack{
			Role: key.role, Weight: w[key], Frames: ix.trace.Stack(key.stack),
		})
	}
	return out
}

// addOffCPU returns for how long the thread held and did not run, with a stack or without.
func (w weights) addOffCPU(ix *index, thread threadNo, held spans) time.Duration {
	var off time.Duration
	for i := range ix.lives[thread] {
		ep := &ix.lives[thread][i]
		d := held.overlap(ep.span)
		if off += d; d == 0 || len(ix.trace.Stack(ep.stack)) == 0 {
			continue
		}
		role := contention.HoldingOffCPU
		if ep.wait == wantsCPU {
			role = contention.HoldingRunnable
		}
		w[stackKey{role, ep.stack}] += d
	}
	return off
}

// addSamples shares the time in which the thread held and ran among its samples.
func (w weights) addSamples(ix *index, thread threadNo, held spans, ran time.Duration) {
	counts := make(map[contention.StackID]int)
	var taken int
	for _, s := range ix.samples[thread] {
		if len(ix.trace.Stack(s.Stack)) > 0 && held.overlap(span{s.At, s.At + 1}) > 0 {
			counts[s.Stack]++
			taken++
		}
	}
	for stack, n := range counts {
		w[stackKey{contention.HoldingOnCPU, stack}] += time.Duration(float64(max(0, ran)) * float64(n) / float64(taken))
	}
}

func (w weights) addReleases(ix *index, thread threadNo, group resourceNo, held spans) {
	for _, member := range ix.membersOf(group) {
		for _, rel := range ix.objects[member].releases {
			if rel.thread != thread || len(ix.trace.Stack(rel.stack)) == 0 {
				continue
			}
			i := sort.Search(len(held), func(i int) bool { return held[i].to >= rel.at })
			if i < len(held) && held[i].from <= rel.at {
				w[stackKey{contention.ReleaseStack, rel.stack}] += min(rel.at, held[i].to) - held[i].from
			}
		}
	}
}
