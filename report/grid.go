// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/os2026/ebpf-rca/results"
)

// grid sets scenarios against analysers or kernels.
type grid struct {
	Columns  []column
	Rows     []gridRow
	Compared bool // against the base
}

type column struct {
	Name, Note string
	Judged     string // how many scenarios are worse, better and so on
}

type gridRow struct {
	Scenario string
	Cells    []cell
}

// cell is one scenario in one column. Its sign says the same as its colour.
type cell struct {
	Class, Sign, Word string
	Faults, Quiet     string // found of all, accused of all; why there are none
	Change            change // against the base, nothing in the base
}

// change is how a scenario compares with the base. Its sign says the same as its colour.
type change struct {
	Class, Sign, Word string
	Needed            string // for an unknown one: how many runs would tell
}

// newChange renders what a comparison judges.
func newChange(c results.Cell) change {
	switch c.Judgement {
	case results.Worse:
		return change{Class: "bad", Sign: "↓", Word: "worse"}
	case results.Better:
		return change{Class: "good", Sign: "↑", Word: "better"}
	case results.Unchanged:
		return change{Class: "none", Sign: "=", Word: "unchanged"}
	case results.Unknown:
		unknown := change{Class: "warn", Sign: "?", Word: "unknown"}
		switch {
		case c.Needed > results.MaxRuns:
			unknown.Needed = fmt.Sprintf("over %d runs would tell", results.MaxRuns)
		case c.Needed > 0:
			unknown.Needed = plural(c.Needed, "run") + " would tell"
		}
		return unknown
	default:
		return change{}
	}
}

// newCell judges by the thresholds that decide the outcome of a run. A share of 0 in 0
// was not measured.
func newCell(recall, far results.Proportion, seeds, unsupported int) cell {
	c := cell{Faults: parts(recall)}
	if far.N > 0 {
		c.Quiet = parts(far) + " accused"
	}
	least, most := results.Threshold(seeds)
	found := recall.N == 0 || recall.Value >= least
	calm := far.N == 0 || far.Value <= most
	switch {
	case recall.N+far.N == 0 && unsupported > 0:
		return cell{Class: "none", Sign: "–", Word: "unsupported", Faults: "unsupported"}
	case recall.N+far.N == 0:
		return cell{Class: "warn", Sign: "?", Word: "does not count", Faults: "no valid run"}
	case found && calm:
		c.Class, c.Sign, c.Word = "good", "✓", "good"
	case !found && !calm:
		c.Class, c.Sign, c.Word = "bad", "✗▲", "misses, and accuses innocents"
	case !calm:
		c.Class, c.Sign, c.Word = "bad", "▲", "accuses innocents"
	default:
		c.Class, c.Sign, c.Word = "bad", "✗", "misses"
	}
	return c
}

// parts renders a share as how many of how many, empty where it was not measured.
func parts(p results.Proportion) string {
	if p.N == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f/%d", p.Value*float64(p.N), p.N)
}

// byAnalyzer sets the scenarios of a folder against its analysers.
func byAnalyzer(s results.Scores) grid {
	var g grid
	for _, name := range s.Analyzers {
		g.Columns = append(g.Columns, column{Name: name})
	}
	if len(g.Columns) == 0 {
		return g
	}
	for row := range slices.Chunk(s.Scenarios, len(g.Columns)) {
		r := gridRow{Scenario: row[0].Scenario}
		for _, sum := range row {
			r.Cells = append(r.Cells, newCell(sum.Recall, sum.FAR, sum.Count, sum.Verdicts[results.Unsupported]))
		}
		g.Rows = append(g.Rows, r)
	}
	return g
}

// byKernel sets the scenarios of several folders against their kernels.
func byKernel(c results.Comparison, seeds func(scenario string) int) grid {
	g := grid{Compared: true}
	for _, col := range c.Columns {
		note := col.RunID
		if col.Base {
			note += ", the base"
		}
		if col.Incomplete {
			note += ", incomplete"
		}
		g.Columns = append(g.Columns, column{kernelText(col.Kernel), note, judged(col.Judgements)})
	}
	for _, row := range c.Rows {
		r := gridRow{Scenario: row.Scenario}
		for _, in := range row.Cells {
			cell := newCell(in.Recall, in.FAR, seeds(row.Scenario), in.Unsupported)
			cell.Change = newChange(in)
			r.Cells = append(r.Cells, cell)
		}
		g.Rows = append(g.Rows, r)
	}
	return g
}

// judged counts the scenarios of a column by how they compare with the base.
func judged(counts map[results.Judgement]int) string {
	var parts []string
	for _, judgement := range []results.Judgement{results.Worse, results.Better, results.Unchanged, results.Unknown} {
		if n := counts[judgement]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, judgement))
		}
	}
	return strings.Join(parts, ", ")
}

func kernelText(release string) string {
	if release == "" {
		return "unknown kernel"
	}
	return release
}
