// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// maxHops bounds how much of a chain a finding tells.
const maxHops = 32

// findings tells the judgements, which are in the order of their rank.
func findings(ix *index, b *book, judgements []judgement) []contention.Finding {
	out := make([]contention.Finding, 0, len(judgements))
	for i, j := range judgements {
		f := contention.Finding{
			Rank:       i + 1,
			Class:      j.class,
			Confidence: confidence(ix, j),
			Blame:      j.account.blame,
			Culprits:   []contention.Thread{},
			Resource:   j.resource,
			Stacks:     []contention.WeightedStack{},
			Victims:    victims(ix, j),
			Chain:      chain(j),
		}
		if j.class != contention.External && j.class != contention.IO && b.totals.Blame > 0 {
			f.Share = float64(j.account.blame) / float64(b.totals.Blame)
		}
		if len(j.culprits) > 0 {
			first := ix.known(j.culprits[0])
			f.Culprit = &first
			f.Stacks = holdingStacks(ix, j)
		}
		if len(j.culprits) > 1 {
			for _, id := range j.culprits {
				f.Culprits = append(f.Culprits, ix.known(id))
			}
		}
		out = append(out, f)
	}
	return out
}

// victims lists who lost time, the most first.
func victims(ix *index, j judgement) []contention.Victim {
	out := make([]contention.Victim, 0, len(j.account.victims))
	for id, h := range j.account.victims {
		if len(j.culprits) == 1 && id == j.culprits[0] {
			continue
		}
		out = append(out, contention.Victim{
			Thread: ix.known(id), Wait: h.time, Count: h.waits, Stack: ix.trace.Stack(h.stack),
		})
	}
	slices.SortFunc(out, func(a, b contention.Victim) int {
		return cmp.Or(cmp.Compare(b.Wait, a.Wait), a.Thread.ID().Compare(b.Thread.ID()))
	})
	return out
}

// chain lists the hops from the victims to the culprit: those next to a victim
// first, then by the time that went over them.
func chain(j judgement) []contention.Hop {
	type entry struct {
		hop
		stretch
	}
	entries := make([]entry, 0, len(j.account.hops))
	for h, s := range j.account.hops {
		entries = append(entries, entry{h, *s})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(b.time, a.time), a.waiter.Compare(b.waiter),
			a.holder.Compare(b.holder), compareResources(a.resource, b.resource), cmp.Compare(a.evidence, b.evidence))
	})
	out := make([]contention.Hop, 0, min(len(entries), maxHops))
	for _, e := range entries[:min(len(entries), maxHops)] {
		out = append(out, contention.Hop{
			Waiter: e.waiter.TID, Holder: e.holder.TID, Resource: e.resource, Wait: e.time, Evidence: e.evidence,
		})
	}
	return out
}

// confidence weighs the evidence by the time that rests on it, and falls with what
// was not seen.
func confidence(ix *index, j judgement) float64 {
	weights := map[contention.Evidence]float64{
		contention.ByRelease: 0.99,
		contention.ByOwner:   0.9,
		contention.ByWaker:   0.8,
		contention.ByCPU:     0.7,
	}
	var weighed float64
	var known time.Duration
	for evidence, d := range j.account.evidence {
		weighed += weights[evidence] * float64(d)
		known += d
	}
	if known == 0 {
		return 0.5
	}
	seen := float64(len(ix.trace.Waits) + len(ix.trace.Preemptions))
	missed := float64(ix.trace.Loss.Events() + ix.trace.Loss.UnmatchedWake)
	return weighed / float64(known) * seen / (seen + missed)
}
