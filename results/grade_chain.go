// SPDX-License-Identifier: Apache-2.0

package results

import (
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

type pairOfThreads struct{ waiter, holder int }

func namesEdge(truth []Edge, f contention.Finding) bool {
	right := edgeSet(truth)
	return slices.ContainsFunc(blamed(f), func(p pairOfThreads) bool { return right[p] })
}

// blamed pairs the victims of an accusation with those it accuses.
func blamed(f contention.Finding) []pairOfThreads {
	var pairs []pairOfThreads
	for _, v := range f.Victims {
		for _, t := range f.Accused() {
			pairs = append(pairs, pairOfThreads{v.TID, t.TID})
		}
	}
	return pairs
}

// minEdgeShare is the least share of all edges' time at which an edge must be found,
// or counts as a wrong one: below it, two threads merely met.
const minEdgeShare = 0.01

func edgeSet(edges []Edge) map[pairOfThreads]bool {
	set := make(map[pairOfThreads]bool, len(edges))
	for _, e := range edges {
		set[pairOfThreads{e.Waiter, e.Holder}] = true
	}
	return set
}

// mainEdges leaves out the edges that hardly took any time.
func mainEdges(edges []Edge) []Edge {
	var sum time.Duration
	for _, e := range edges {
		sum += e.Time
	}
	return slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool {
		return float64(e.Time) < minEdgeShare*float64(sum)
	})
}

// chain grades the edges that the accusations name: the hops of their chains, or
// where there is no chain, from each victim to each culprit. All that lie on the way to
// a culprit are wanted; any along which somebody waited is right.
func chain(truth Truth, findings []contention.Finding) Chain {
	var named []Edge
	for _, f := range findings {
		named = append(named, edgesOf(f)...)
	}
	found, known := edgeSet(mainEdges(named)), edgeSet(truth.Edges)
	wanted, all := edgeSet(mainEdges(truth.Ways)), edgeSet(named)
	return Chain{
		Precision: share(common(found, known), len(found)),
		Recall:    share(common(wanted, all), len(wanted)),
	}
}

// F1 is the harmonic mean of precision and recall.
func (c Chain) F1() float64 {
	if c.Precision+c.Recall == 0 {
		return 0
	}
	return 2 * c.Precision * c.Recall / (c.Precision + c.Recall)
}

// common counts what is in both sets.
func common(a, b map[pairOfThreads]bool) int {
	n := 0
	for p := range a {
		if b[p] {
			n++
		}
	}
	return n
}

func edgesOf(f contention.Finding) []Edge {
	if !f.Class.Accuses() {
		return nil
	}
	var edges []Edge
	if len(f.Chain) == 0 {
		for _, p := range blamed(f) {
			edges = append(edges, Edge{Waiter: p.waiter, Holder: p.holder})
		}
	}
	for _, hop := range f.Chain {
		edges = append(edges, Edge{Waiter: hop.Waiter, Holder: hop.Holder, Time: hop.Wait})
	}
	return edges
}

// share of part in all, 0 of nothing.
func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}
