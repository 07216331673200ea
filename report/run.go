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

// Timelines says of which runs a timeline is drawn.
type Timelines string

// The choices of timelines. Empty is Failures.
const (
	// Failures are the misses and false alarms of the first analyser, and one run of
	// each scenario that went well, to compare.
	Failures Timelines = "failures"
	All      Timelines = "all"
	None     Timelines = "none"
)

// drawingRoom bounds the timelines of a page in bytes, unless all are asked for.
const drawingRoom = 6 << 20

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

// runs are those of a folder, in the order in which they are to be looked at.
type runs struct {
	Failed   []run
	Examples []run      // one for each scenario, or all that went well
	Void     []run      // that do not count
	Listed   []scenario // every run in one line
	Cut      int        // failures without a timeline for want of room
}

// scenario lists its runs in brief.
type scenario struct {
	Name string
	Rows []brief
}

// brief is a run in one line.
type brief struct {
	Index   int
	Variant string
	Seed    uint64
	Dose    string
	Marks   []mark // by analyser
	Link    string // to more about it
}

// renderer draws the runs of one folder.
type renderer struct {
	folder *results.Folder
	number int // of the folder in the page
	choice Timelines
	room   int // left for timelines, in bytes
}

// byRun groups the records of a folder by run, in the order of the plan.
func byRun(f *results.Folder) [][]results.Record {
	n := len(f.Plan.Analyzers)
	if n == 0 {
		return nil
	}
	return slices.Collect(slices.Chunk(f.Records, n))
}

func (d *renderer) runs() runs {
	var out runs
	shown := map[string]bool{}
	links := map[int]string{}
	for _, records := range byRun(d.folder) {
		r := records[0]
		failed := r.Verdict == results.Miss || r.Verdict == results.FalseAlarm
		example := r.Verdict.Valid() && !failed && (d.choice == All || d.choice != None && r.Verdict == results.Hit && !shown[r.Scenario])
		switch {
		case failed:
			view := d.run(records, d.choice != None)
			if view.Timeline == nil && view.Undrawn == noRoom {
				out.Cut++
			}
			out.Failed = append(out.Failed, view)
		case example:
			shown[r.Scenario] = true
			out.Examples = append(out.Examples, d.run(records, true))
		case !r.Verdict.Valid():
			out.Void = append(out.Void, d.run(records, d.choice == All))
		default:
			continue
		}
		links[r.Index] = d.id(r)
	}
	out.Listed = d.list(links)
	return out
}

func (d *renderer) id(r results.Record) string { return fmt.Sprintf("f%d-run-%d", d.number, r.Index) }

// list puts every run in one line.
func (d *renderer) list(links map[int]string) []scenario {
	place := map[string]int{}
	var list []scenario
	for _, records := range byRun(d.folder) {
		r := records[0]
		i, ok := place[r.Scenario]
		if !ok {
			i = len(list)
			place[r.Scenario] = i
			list = append(list, scenario{Name: r.Scenario})
		}
		b := brief{Index: r.Index, Variant: string(r.Variant), Seed: r.Seed, Dose: doseText(r.Dose), Link: links[r.Index]}
		for _, r := range records {
			b.Marks = append(b.Marks, markOf(r.Verdict))
		}
		list[i].Rows = append(list[i].Rows, b)
	}
	return list
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
		threads := accused(f)
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
