// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// run is one planned run under all analysers.
type run struct {
	ID       string // of its place in the page
	Title    string
	Dose     string
	Mark     mark
	Reason   string
	Failed   bool
	True     []string // the culprits
	Class    string   // of the truth
	Functs   string
	Findings []finding
	More     int // findings that are not shown
	Others   []answer
	Timeline *timeline
	Undrawn  string // why there is no timeline
	Odds     string // what was lost, or tried again
}

// answer is what another analyser said, in short.
type answer struct {
	Analyzer string
	Mark     mark
	Says     string
}

// noRoom is why a timeline is not drawn that was to be.
const noRoom = "The page has no room for more timelines; --timelines all draws every one."

// run tells of one run, first by the first analyser.
func (d *renderer) run(records []results.Record, draw bool) run {
	r := records[0]
	n := namesOf(records)
	view := run{
		ID:     d.id(r),
		Title:  fmt.Sprintf("%s, %s, seed %d", r.Scenario, r.Variant, r.Seed),
		Dose:   doseText(r.Dose),
		Mark:   markOf(r.Verdict),
		Reason: r.Reason,
		Failed: r.Verdict == results.Miss || r.Verdict == results.FalseAlarm,
		Class:  string(r.Truth.Class),
		More:   max(len(r.Findings)-mostFindings, 0),
		Odds:   odds(r),
	}
	view.Findings = newFindings(r, n)
	var functions []string
	for _, c := range r.Truth.Culprits {
		view.True = append(view.True, n.label(c.TID))
		functions = append(functions, c.Functions...)
	}
	slices.Sort(functions)
	view.Functs = strings.Join(slices.Compact(functions), ", ")
	for _, other := range records[1:] {
		view.Others = append(view.Others, newAnswer(other, n))
	}
	if draw {
		view.Timeline, view.Undrawn = d.timeline(r, n)
	}
	return view
}

// timeline draws the ledger of r, or says why it cannot.
func (d *renderer) timeline(r results.Record, n names) (*timeline, string) {
	if r.Truth.Ledger == "" {
		return nil, "The run left no ledger."
	}
	if d.room <= 0 && d.choice != All {
		return nil, noRoom
	}
	data, err := results.ReadFile(d.folder.Dir, r.Truth.Ledger)
	if err != nil {
		return nil, "No timeline: " + err.Error()
	}
	l, err := ledger.DecodeJSON(data)
	if err != nil {
		return nil, fmt.Sprintf("No timeline: read %s: %v", r.Truth.Ledger, err)
	}
	t := newTimeline(l, r, n)
	d.room -= t.size()
	return &t, ""
}

func newAnswer(r results.Record, n names) answer {
	a := answer{Analyzer: r.Analyzer, Mark: markOf(r.Verdict), Says: "accuses nobody"}
	for _, f := range r.Findings {
		threads := f.Accused()
		if len(threads) == 0 {
			continue
		}
		labels := make([]string, len(threads))
		for i, t := range threads {
			labels[i] = n.label(t.TID)
		}
		a.Says = fmt.Sprintf("%s: %s, %s of the waiting", f.Class, strings.Join(labels, ", "), percent(f.Share))
		break
	}
	if !r.Verdict.Valid() {
		a.Says = cmp.Or(r.Reason, "-")
	}
	return a
}

// odds tells what makes a run less than whole.
func odds(r results.Record) string {
	var parts []string
	if n := r.Loss.Events(); n > 0 {
		parts = append(parts, plural(int(n), "event")+" lost")
	}
	for _, why := range r.Dropped {
		parts = append(parts, "played again: "+why)
	}
	return strings.Join(parts, "; ")
}
