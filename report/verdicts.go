// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"

	"github.com/os2026/ebpf-rca/results"
)

// verdictOrder is that in which verdicts are counted; the first four enter accuracy.
var verdictOrder = []results.Verdict{
	results.Hit, results.CorrectReject, results.Miss, results.FalseAlarm,
	results.Invalid, results.Untrusted, results.Timeout, results.Infra, results.Lost, results.Unsupported,
}

// verdicts counts the verdicts of a folder by analyser.
type verdicts struct {
	Analyzers []string
	Rows      []verdictRow
	Reasons   []reason
	Left      int // reasons not listed
}

type verdictRow struct {
	Mark   mark
	Counts []int // by analyser
	Valid  bool  // it enters accuracy
}

// reason is why runs do not count, and how often it is given.
type reason struct {
	Mark      mark
	Text      string
	N         int
	Scenarios []string
}

// mostReasons bounds the list of reasons.
const mostReasons = 30

func newVerdicts(f *results.Folder, s results.Scores) verdicts {
	v := verdicts{Analyzers: s.Analyzers}
	for _, verdict := range verdictOrder {
		row := verdictRow{Mark: markOf(verdict), Valid: verdict.Valid()}
		for _, sum := range s.Overall {
			row.Counts = append(row.Counts, sum.Verdicts[verdict])
		}
		v.Rows = append(v.Rows, row)
	}
	v.Reasons = reasons(f)
	if len(v.Reasons) > mostReasons {
		v.Left = len(v.Reasons) - mostReasons
		v.Reasons = v.Reasons[:mostReasons]
	}
	return v
}

// reasons lists why runs do not count for the first analyser, the most frequent first.
func reasons(f *results.Folder) []reason {
	type key struct {
		verdict results.Verdict
		text    string
	}
	place := map[key]int{}
	var list []reason
	for _, records := range byRun(f) {
		r := records[0]
		if r.Verdict.Valid() {
			continue
		}
		k := key{r.Verdict, cmp.Or(r.Reason, "no reason given")}
		i, ok := place[k]
		if !ok {
			i = len(list)
			place[k] = i
			list = append(list, reason{Mark: markOf(r.Verdict), Text: k.text})
		}
		list[i].N++
		if !slices.Contains(list[i].Scenarios, r.Scenario) {
			list[i].Scenarios = append(list[i].Scenarios, r.Scenario)
		}
	}
	slices.SortStableFunc(list, func(a, b reason) int { return cmp.Compare(b.N, a.N) })
	return list
}
