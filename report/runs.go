// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"

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
