// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// DefaultDrop is the change of a share that a comparison rules out where no other is
// asked for.
const DefaultDrop = 0.2

// CompareOptions are the choices of a comparison.
type CompareOptions struct {
	// Analyzer is the one compared; empty stands for rca.
	Analyzer string
	// Against is an analyser of the first folder that the others are tested against;
	// empty is Analyzer itself. With it one folder is enough.
	Against string
	// Drop is the change of a share that must be ruled out for a scenario to be called
	// unchanged; 0 is DefaultDrop.
	Drop float64
	// Gate makes a significant loss an outcome of 1.
	Gate bool
}

// Comparison puts folders, or analysers, side by side. The first that was given is the
// base, the one that the others are tested against; the columns stand in the order of
// their kernels. What it cost to observe is not compared: under emulation (tcg) it says
// nothing, and elsewhere it needs runs of its own.
type Comparison struct {
	Analyzer    string             `json:"analyzer"`
	Drop        float64            `json:"drop"`
	Columns     []Column           `json:"columns"`
	Differences []Difference       `json:"differences"`
	Rows        []ComparedScenario `json:"scenarios"`
	gate        bool
}

// Column is what one analyser made of one folder.
type Column struct {
	RunID      string `json:"run_id"`
	Kernel     string `json:"kernel"`
	Analyzer   string `json:"analyzer"`
	Base       bool   `json:"base"`
	Incomplete bool   `json:"incomplete"`
	// Judgements counts those of its scenarios; nil in the base.
	Judgements map[Judgement]int `json:"judgements,omitempty"`
}

// Difference is a property of the environment that is not the same in all folders;
// Values are in the order of the columns, empty where it is unknown.
type Difference struct {
	Property string   `json:"property"`
	Values   []string `json:"values"`
}

// ComparedScenario is one scenario in all folders.
type ComparedScenario struct {
	Scenario string `json:"scenario"`
	Cells    []Cell `json:"cells"`
}

// Cell is one scenario in one column.
type Cell struct {
	Recall      Proportion `json:"recall"`
	AC1         Proportion `json:"ac1"`
	FAR         Proportion `json:"far"`
	BlameError  Spread     `json:"blame_error"`
	Unsupported int        `json:"unsupported"`
	// Hits tests Recall against the base, Alarms FAR, and Blame the blame error.
	Hits   Change `json:"hits"`
	Alarms Change `json:"alarms"`
	Blame  Change `json:"blame"`
	// Judgement sums them up; empty in the base.
	Judgement Judgement `json:"judgement,omitempty"`
	// Needed is, where the judgement is Unknown for too few runs, how many on each side
	// would show a change of Drop with a probability of 80 %; above MaxRuns if too many.
	Needed int `json:"runs_needed,omitempty"`
}

// subject is what stands in a column.
type subject struct {
	folder   *Folder
	analyzer string
	base     bool
}

// Compare compares folders; the first is the base.
func Compare(folders []*Folder, o CompareOptions) (Comparison, error) {
	o.Analyzer = cmp.Or(o.Analyzer, "rca")
	o.Drop = cmp.Or(o.Drop, DefaultDrop)
	subjects, err := o.subjects(folders)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	base := subjects[0]
	ordered := byKernel(subjects)
	c := Comparison{Analyzer: o.Analyzer, Drop: o.Drop, gate: o.Gate}
	var columns []*Folder
	for _, s := range ordered {
		c.Columns = append(c.Columns, Column{
			RunID: s.folder.Plan.RunID, Kernel: s.folder.Env.KernelRelease, Analyzer: s.analyzer,
			Base: s.base, Incomplete: s.folder.Incomplete,
		})
		columns = append(columns, s.folder)
	}
	c.Differences = differences(columns)
	for _, scenario := range allScenarios(folders) {
		row := ComparedScenario{Scenario: scenario}
		for _, s := range ordered {
			row.Cells = append(row.Cells, newCell(base, s, scenario))
		}
		c.Rows = append(c.Rows, row)
	}
	c.adjust()
	c.judge()
	return c, nil
}

// subjects are the columns, the base in front.
func (o CompareOptions) subjects(folders []*Folder) ([]subject, error) {
	if o.Drop < 0 || o.Drop >= 1 {
		return nil, fmt.Errorf("drop %v: want a share between 0 and 1", o.Drop)
	}
	if o.Against == o.Analyzer {
		return nil, fmt.Errorf("analyzer %s against itself", o.Analyzer)
	}
	var list []subject
	if o.Against != "" && len(folders) > 0 {
		list = append(list, subject{folder: folders[0], analyzer: o.Against})
	}
	for _, f := range folders {
		list = append(list, subject{folder: f, analyzer: o.Analyzer})
	}
	if len(list) < 2 {
		return nil, errors.New("want two folders or more, or another analyser to compare with")
	}
	list[0].base = true
	for _, s := range list {
		if !slices.Contains(s.folder.Plan.Analyzers, s.analyzer) {
			return nil, fmt.Errorf("%s has no analyzer %s", cmp.Or(s.folder.Dir, s.folder.Plan.RunID), s.analyzer)
		}
	}
	return list, nil
}

// byKernel orders columns by kernel, oldest first; those of one kernel stay as
// given and those whose kernel cannot be read come last.
func byKernel(subjects []subject) []subject {
	ordered := slices.Clone(subjects)
	slices.SortStableFunc(ordered, func(a, b subject) int {
		x, errX := ParseKernel(a.folder.Env.KernelRelease)
		y, errY := ParseKernel(b.folder.Env.KernelRelease)
		if errX != nil || errY != nil {
			return cmp.Compare(one(errX != nil), one(errY != nil))
		}
		return x.Compare(y)
	})
	return ordered
}

// allScenarios lists the scenarios of all folders, those of the first in front.
func allScenarios(folders []*Folder) []string {
	var names []string
	for _, f := range folders {
		for _, name := range f.Plan.Scenarios() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func newCell(base, s subject, scenario string) Cell {
	records := s.folder.Select(scenario, s.analyzer)
	sum := Summarize(records)
	cell := Cell{
		Recall: sum.Recall, AC1: sum.Thread.AC1, FAR: sum.FAR, BlameError: sum.BlameError,
		Unsupported: sum.Verdicts[Unsupported],
	}
	if !s.base {
		before := base.folder.Select(scenario, base.analyzer)
		cell.Hits = testShare(outcomes(before, isFault, Hit), outcomes(records, isFault, Hit), true)
		quiet := func(r Record) bool { return !isFault(r) }
		cell.Alarms = testShare(outcomes(before, quiet, FalseAlarm), outcomes(records, quiet, FalseAlarm), false)
		cell.Blame = testBlame(before, records)
	}
	return cell
}

// adjust applies Holm over the scenarios of each column, to hits, to alarms and to blame.
func (c *Comparison) adjust() {
	for column := range c.Columns {
		var hits, alarms, blame []*Change
		for row := range c.Rows {
			cell := &c.Rows[row].Cells[column]
			hits, alarms, blame = append(hits, &cell.Hits), append(alarms, &cell.Alarms), append(blame, &cell.Blame)
		}
		for _, family := range [][]*Change{hits, alarms, blame} {
			adjustFamily(family)
		}
	}
}

func adjustFamily(changes []*Change) {
	tested := slices.DeleteFunc(changes, func(c *Change) bool { return c.Method == "" })
	p := make([]float64, len(tested))
	for i, c := range tested {
		p[i] = c.P
	}
	for i, adjusted := range Holm(p) {
		tested[i].Adjusted = adjusted
		tested[i].level = significance / float64(len(tested))
	}
}
