// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// accused is how many threads an analyser accuses.
const accused = 5

// share divides all waiting that has ended over the threads, in proportion to
// weights. If nobody weighs anything, all of it is external.
func (p *period) share(weights map[contention.ThreadID]float64) contention.Analysis {
	ended := p.totals.WaitTime - p.totals.Open
	order := slices.SortedFunc(maps.Keys(weights), func(a, b contention.ThreadID) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), a.Compare(b))
	})
	var sum float64
	for _, id := range order {
		sum += weights[id]
	}
	blame := make(map[contention.ThreadID]time.Duration)
	if sum <= 0 {
		return p.accuse(blame, 0, false)
	}
	// What each gets is the difference of two rounded sums, so that all get exactly
	// what there is.
	var before, given float64
	for _, id := range order {
		before += weights[id]
		upTo := float64(time.Duration(float64(ended) * before / sum))
		blame[id] = time.Duration(upTo - given)
		given = upTo
	}
	blame[order[0]] += ended - time.Duration(given)
	return p.accuse(blame, ended, false)
}

// accuse makes an analysis that charges blame, which adds up to sum, and accuses the
// threads with the most. With byWaker, a finding is about the waits that its culprit
// ended, otherwise about all.
func (p *period) accuse(blame map[contention.ThreadID]time.Duration, sum time.Duration, byWaker bool) contention.Analysis {
	p.totals.Blame = sum
	p.totals.External = p.totals.WaitTime - p.totals.Open - sum
	threads := make(map[contention.ThreadID]contention.Thread)
	for _, t := range p.trace.Threads {
		threads[t.ID()] = t
	}
	a := contention.Analysis{Totals: p.totals, Charges: []contention.Charge{}, Findings: []contention.Finding{}}
	for id, d := range blame {
		if d <= 0 {
			continue
		}
		t, ok := threads[id]
		if !ok {
			t = contention.Thread{TID: id.TID, Start: id.Start}
		}
		a.Charges = append(a.Charges, contention.Charge{Thread: t, Blame: d})
	}
	slices.SortFunc(a.Charges, func(x, y contention.Charge) int {
		return cmp.Or(cmp.Compare(y.Blame, x.Blame), x.Thread.ID().Compare(y.Thread.ID()))
	})
	for i, c := range a.Charges[:min(accused, len(a.Charges))] {
		a.Findings = append(a.Findings, p.finding(i+1, c, sum, byWaker))
	}
	return a
}

func (p *period) finding(rank int, c contention.Charge, sum time.Duration, byWaker bool) contention.Finding {
	culprit := c.Thread
	f := contention.Finding{
		Rank: rank, Class: contention.LockHolder, Blame: c.Blame, Share: float64(c.Blame) / float64(sum),
		Culprit: &culprit, Culprits: []contention.Thread{}, Stacks: []contention.WeightedStack{},
		Victims: []contention.Victim{}, Chain: []contention.Hop{},
	}
	costs := make(map[contention.Resource]time.Duration)
	hops := make(map[contention.Hop]time.Duration)
	for i := range p.waits {
		w := &p.waits[i]
		if byWaker && !(w.byThread && w.Waker.Thread == culprit.ID()) {
			continue
		}
		costs[w.Resource] += w.length
		if byWaker {
			hops[contention.Hop{
				Waiter: w.Thread.TID, Holder: culprit.TID, Resource: w.Resource, Evidence: contention.ByWaker,
			}] += w.length
		}
	}
	f.Resource = most(costs)
	for hop, d := range hops {
		hop.Wait = d
		f.Chain = append(f.Chain, hop)
	}
	slices.SortFunc(f.Chain, func(a, b contention.Hop) int {
		return cmp.Or(cmp.Compare(b.Wait, a.Wait), cmp.Compare(a.Waiter, b.Waiter), a.Resource.Compare(b.Resource))
	})
	return f
}

// most is the resource that cost the most.
func most(costs map[contention.Resource]time.Duration) contention.Resource {
	var r contention.Resource
	var cost time.Duration
	for resource, d := range costs {
		if d > cost || d == cost && resource.Compare(r) < 0 {
			r, cost = resource, d
		}
	}
	return r
}
