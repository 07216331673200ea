// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// maxStacks bounds how many stacks of the culprit a finding shows.
const maxStacks = 10

type stackKey struct {
	role  contention.Role
	stack contention.StackID
}

// holdingStacks shows what the culprits did while they held the others up, and where
// they let go, the longest first.
func holdingStacks(ix *index, j judgement) []contention.WeightedStack {
	weights := make(map[stackKey]time.Duration)
	held := union(j.account.spans)
	for _, id := range j.culprits {
		addOffCPU(ix, weights, id, held)
		addSamples(ix, weights, id, held)
		addReleases(ix, weights, id, j.resource, held)
	}
	keys := make([]stackKey, 0, len(weights))
	for key := range weights {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b stackKey) int {
		return cmp.Or(
			cmp.Compare(roleOrder(a.role), roleOrder(b.role)),
			cmp.Compare(weights[b], weights[a]),
			cmp.Compare(a.role, b.role),
			cmp.Compare(a.stack, b.stack),
		)
	})
	out := make([]contention.WeightedStack, 0, min(len(keys), maxStacks))
	for _, key := range keys[:min(len(keys), maxStacks)] {
		out = append(out, contention.WeightedStack{
			Role: key.role, Weight: weights[key], Frames: ix.trace.Stack(key.stack),
		})
	}
	return out
}

// roleOrder puts what a thread did before where it let go.
func roleOrder(r contention.Role) int {
	if r == contention.ReleaseStack {
		return 1
	}
	return 0
}

func addOffCPU(ix *index, weights map[stackKey]time.Duration, id contention.ThreadID, held []span) {
	for _, ep := range ix.lives[id] {
		if len(ix.trace.Stack(ep.stack)) == 0 {
			continue
		}
		role := contention.HoldingOffCPU
		if ep.wait == wantsCPU {
			role = contention.HoldingRunnable
		}
		if d := overlap(held, ep.span); d > 0 {
			weights[stackKey{role, ep.stack}] += d
		}
	}
}

// addSamples shares the time in which the culprit held and ran among its samples.
func addSamples(ix *index, weights map[stackKey]time.Duration, id contention.ThreadID, held []span) {
	counts := make(map[contention.StackID]int)
	var taken int
	for _, s := range ix.trace.Samples {
		if s.Thread == id && len(ix.trace.Stack(s.Stack)) > 0 && overlap(held, span{s.At, s.At + 1}) > 0 {
			counts[s.Stack]++
			taken++
		}
	}
	var ran time.Duration
	for _, s := range held {
		ran += s.length()
	}
	for _, ep := range ix.lives[id] {
		ran -= overlap(held, ep.span)
	}
	for stack, n := range counts {
		weights[stackKey{contention.HoldingOnCPU, stack}] += ran * time.Duration(n) / time.Duration(taken)
	}
}

func addReleases(ix *index, weights map[stackKey]time.Duration, id contention.ThreadID, r contention.Resource, held []span) {
	for _, rel := range ix.releases[r] {
		if rel.thread != id || len(ix.trace.Stack(rel.stack)) == 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(held, rel.at, func(s span, at time.Duration) int { return cmp.Compare(s.to, at) })
		if i < len(held) && held[i].from <= rel.at {
			weights[stackKey{contention.ReleaseStack, rel.stack}] += min(rel.at, held[i].to) - held[i].from
		}
	}
}

// union merges spans that touch.
func union(spans []span) []span {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var out []span
	for _, s := range sorted {
		if last := len(out) - 1; last >= 0 && s.from <= out[last].to {
			out[last].to = max(out[last].to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// overlap is how much of s lies in spans, which are apart and in order.
func overlap(spans []span, s span) time.Duration {
	i, _ := slices.BinarySearchFunc(spans, s.from, func(x span, at time.Duration) int { return cmp.Compare(x.to, at) })
	var sum time.Duration
	for ; i < len(spans) && spans[i].from < s.to; i++ {
		sum += spans[i].within(s).length()
	}
	return sum
}
