// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"cmp"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// TruthOf says who made whom wait in a run of s, from the ledger alone. Culprits
// and blame are listed most first, as are edges.
func TruthOf(l *ledger.Ledger, s scenarios.Scenario, v contention.Variant) results.Truth {
	return accountOf(l).truth(s, v)
}

func (a *account) truth(s scenarios.Scenario, v contention.Variant) results.Truth {
	truth := results.Truth{
		Culprits:   a.culprits(s.Functions),
		Resource:   a.resource(),
		Direct:     a.blame(a.direct),
		Root:       a.blame(a.root),
		Edges:      edgeList(a.threads, a.edges),
		Ways:       edgeList(a.threads, a.ways),
		Decoys:     a.decoys(),
		WaitTime:   a.waited,
		RunDelay:   a.sums.RunDelay,
		Holds:      a.holds,
		Waits:      a.waits,
		Switches:   a.sums.Switches,
		Operations: a.sums.Operations,
	}
	if v == contention.FaultVariant {
		truth.Class = s.Class
	}
	if truth.Class == contention.Deadlock {
		truth.Circle = a.circle()
	}
	if s.Unnamed && s.Class == contention.CPUStarvation {
		truth.Root = a.ofQuotas()
	}
	if s.Unnamed {
		truth.Nobody, truth.Culprits = v == contention.FaultVariant, []results.Culprit{}
	}
	return truth
}

// culprits lists the threads that the fault was put into, the most to blame first.
func (a *account) culprits(functions []string) []results.Culprit {
	list := []results.Culprit{}
	for _, i := range a.byTime(a.root) {
		t := a.threads[i]
		if t.Culprit {
			list = append(list, results.Culprit{PID: t.PID, TID: t.TID, Start: t.Start, Functions: functions})
		}
	}
	return list
}

// resource is the one by which the culprits cost the most, or where there is no
// culprit the one that cost the most; none if nothing was charged.
func (a *account) resource() contention.Resource {
	at, most := -1, time.Duration(0)
	for r := range a.resources {
		var cost time.Duration
		for i := range a.threads {
			if a.threads[i].Culprit || !a.anyCulprit() {
				cost += a.rootBy[i][r]
			}
		}
		if cost > most {
			at, most = r, cost
		}
	}
	if at < 0 {
		return contention.Resource{}
	}
	return a.resources[at].Resource
}

// circle lists what the culprits still wait for when the window is over.
func (a *account) circle() []contention.Resource {
	var list []contention.Resource
	for _, t := range a.threads {
		for _, e := range t.Entries {
			ends := !e.Open() && e.End <= a.window.End
			if t.Culprit && e.Kind == ledger.Waiting && e.Begin < a.window.End && !ends {
				list = append(list, a.resources[e.Resource].Resource)
			}
		}
	}
	return list
}

func (a *account) anyCulprit() bool {
	return slices.ContainsFunc(a.threads, func(t ledger.Thread) bool { return t.Culprit })
}

func (a *account) blame(times []time.Duration) []results.ThreadBlame {
	list := []results.ThreadBlame{}
	for _, i := range a.byTime(times) {
		if times[i] > 0 {
			list = append(list, results.ThreadBlame{TID: a.threads[i].TID, Start: a.threads[i].Start, Time: times[i]})
		}
	}
	return list
}

// byTime orders the places of all threads by time, most first, then by thread.
func (a *account) byTime(times []time.Duration) []int {
	order := make([]int, len(a.threads))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(times[j], times[i]) })
	return order
}

func edgeList(threads []ledger.Thread, table [][]time.Duration) []results.Edge {
	list := []results.Edge{}
	for waiter, row := range table {
		for holder, t := range row {
			if t > 0 {
				list = append(list, results.Edge{Waiter: threads[waiter].TID, Holder: threads[holder].TID, Time: t})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y results.Edge) int { return cmp.Compare(y.Time, x.Time) })
	return list
}

func (a *account) decoys() []results.Decoy {
	list := []results.Decoy{}
	for _, t := range a.threads {
		if t.Decoy != "" {
			list = append(list, results.Decoy{TID: t.TID, Label: t.Decoy})
		}
	}
	return list
}
