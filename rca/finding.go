// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"

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
			Resource:   ix.objects[j.account.resource(ix, j.group)].Resource,
			Stacks:     holdingStacks(ix, j),
			Victims:    victims(ix, j),
			Chain:      chain(ix, j),
		}
		if isBlame(j.class) && b.totals.Blame > 0 {
			f.Share = float64(j.account.blame) / float64(b.totals.Blame)
		}
		if culprits := ix.living(j.culprits()); len(culprits) > 0 {
			first := ix.threads[culprits[0].thread]
			f.Culprit = &first
			if len(culprits) > 1 {
				for _, c := range culprits {
					f.Culprits = append(f.Culprits, ix.threads[c.thread])
				}
			}
		}
		out = append(out, f)
	}
	return out
}

// isBlame reports whether what a finding of class c costs is in the book as blame: it is
// neither external nor open.
func isBlame(c contention.Class) bool {
	return c != contention.External && c != contention.IO && c != contention.LostWakeup
}

// living leaves out those that ended with something locked.
func (ix *index) living(parts []part) []part {
	return slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return ix.gone[p.thread] })
}

// victims lists who lost time, the most first.
func victims(ix *index, j judgement) []contention.Victim {
	culprits := j.culprits()
	out := make([]contention.Victim, 0, len(j.account.victims.entries))
	for _, e := range j.account.victims.entries {
		h := e.value
		if len(culprits) == 1 && e.key == culprits[0].thread && j.class != contention.Deadlock {
			continue
		}
		out = append(out, contention.Victim{
			Thread: ix.threads[e.key], Wait: h.time, Count: h.waits.count(), Stack: ix.trace.Stack(h.stack),
		})
	}
	slices.SortFunc(out, func(a, b contention.Victim) int {
		return cmp.Or(cmp.Compare(b.Wait, a.Wait), a.Thread.ID().Compare(b.Thread.ID()))
	})
	return out
}

// chain lists the hops from the victims to the culprit: those next to a victim
// first, then by the time that went over them.
func chain(ix *index, j judgement) []contention.Hop {
	hops := slices.Clone(j.account.hops.entries)
	slices.SortFunc(hops, func(a, b entry[hop, stretch]) int {
		return cmp.Or(
			cmp.Compare(b.value.near, a.value.near), cmp.Compare(b.value.time, a.value.time),
			ix.compareThreads(a.key.waiter, b.key.waiter), ix.compareThreads(a.key.holder, b.key.holder),
			ix.compareResources(a.key.resource, b.key.resource),
			cmp.Compare(a.key.evidence, b.key.evidence),
		)
	})
	out := make([]contention.Hop, 0, min(len(hops), maxHops))
	for _, h := range hops[:min(len(hops), maxHops)] {
		out = append(out, contention.Hop{
			Waiter:   ix.threads[h.key.waiter].TID,
			Holder:   ix.threads[h.key.holder].TID,
			Resource: ix.objects[h.key.resource].Resource,
			Wait:     h.value.time,
			Evidence: h.key.evidence.public(),
		})
	}
	return out
}
