// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/os2026/ebpf-rca/contention"
)

// significance is the level at which a loss counts, after Holm over scenarios.
const significance = 0.05

// CompareOptions are the choices of a comparison.
type CompareOptions struct {
	// Analyzer is the one compared; empty stands for rca.
	Analyzer string
	// Gate makes a significant loss an outcome of 1.
	Gate bool
}

// Comparison puts folders side by side. The first that was given is the base, the
// one that the others are tested against; the columns stand in the order of their
// kernels.
type Comparison struct {
	Analyzer    string             `json:"analyzer"`
	Columns     []Column           `json:"columns"`
	Differences []Difference       `json:"differences"`
	Rows        []ComparedScenario `json:"scenarios"`
	gate        bool
}

// Column is one folder.
type Column struct {
	RunID      string `json:"run_id"`
	Kernel     string `json:"kernel"`
	Base       bool   `json:"base"`
	Incomplete bool   `json:"incomplete"`
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

// Cell is one scenario in one folder.
type Cell struct {
	Recall      Proportion `json:"recall"`
	AC1         Proportion `json:"ac1"`
	FAR         Proportion `json:"far"`
	Unsupported int        `json:"unsupported"`
	// Hits tests Recall and Alarms FAR against the base.
	Hits   Change `json:"hits"`
	Alarms Change `json:"alarms"`
}

// Change is a test of one share against that of the base.
type Change struct {
	// Method is mcnemar where the seeds agree, fisher where they do not, and empty
	// where there was nothing to test.
	Method string `json:"method,omitempty"`
	// P is two-sided, Adjusted the same after Holm over the scenarios of a folder.
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_adjusted"`
	// Worse says that it points the wrong way.
	Worse bool `json:"worse"`
}

// Significant reports whether c is a loss that chance does not explain.
func (c Change) Significant() bool {
	return c.Method != "" && c.Worse && c.Adjusted < significance
}

// Compare compares folders; the first is the base.
func Compare(folders []*Folder, o CompareOptions) (Comparison, error) {
	if len(folders) < 2 {
		return Comparison{}, errors.New("compare: want two folders or more")
	}
	analyzer := cmp.Or(o.Analyzer, "rca")
	for _, f := range folders {
		if !slices.Contains(f.Plan.Analyzers, analyzer) {
			return Comparison{}, fmt.Errorf("compare: %s has no analyzer %s", cmp.Or(f.Dir, f.Plan.RunID), analyzer)
		}
	}
	base := folders[0]
	ordered := byKernel(folders)
	c := Comparison{Analyzer: analyzer, gate: o.Gate, Differences: differences(ordered)}
	for _, f := range ordered {
		c.Columns = append(c.Columns, Column{
			RunID: f.Plan.RunID, Kernel: f.Env.KernelRelease, Base: f == base, Incomplete: f.Incomplete,
		})
	}
	for _, scenario := range allScenarios(folders) {
		row := ComparedScenario{Scenario: scenario}
		for _, f := range ordered {
			row.Cells = append(row.Cells, newCell(base, f, scenario, analyzer))
		}
		c.Rows = append(c.Rows, row)
	}
	c.adjust()
	return c, nil
}

// byKernel orders folders by kernel, oldest first; those of one kernel stay as
// given and those whose kernel cannot be read come last.
func byKernel(folders []*Folder) []*Folder {
	ordered := slices.Clone(folders)
	slices.SortStableFunc(ordered, func(a, b *Folder) int {
		x, errX := ParseKernel(a.Env.KernelRelease)
		y, errY := ParseKernel(b.Env.KernelRelease)
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

func newCell(base, f *Folder, scenario, analyzer string) Cell {
	records := f.Select(scenario, analyzer)
	s := Summarize(records)
	cell := Cell{
		Recall: s.Recall, AC1: s.Thread.AC1, FAR: s.FAR,
		Unsupported: s.Verdicts[Unsupported],
	}
	if f != base {
		before := base.Select(scenario, analyzer)
		cell.Hits = test(outcomes(before, isFault, Hit), outcomes(records, isFault, Hit), true)
		quiet := func(r Record) bool { return !isFault(r) }
		cell.Alarms = test(outcomes(before, quiet, FalseAlarm), outcomes(records, quiet, FalseAlarm), false)
	}
	return cell
}

// pairing is what makes two runs a pair: everything but the folder.
type pairing struct {
	variant contention.Variant
	seed    uint64
	dose    contention.Dose
}

// outcomes says of each valid run kept whether its verdict is v.
func outcomes(records []Record, keep func(Record) bool, v Verdict) map[pairing]bool {
	out := map[pairing]bool{}
	for _, r := range valid(records, keep) {
		out[pairing{r.Variant, r.Seed, r.Dose}] = r.Verdict == v
	}
	return out
}

// test compares how often something happened before and after; wanted says whether
// it is good when it does.
func test(before, after map[pairing]bool, wanted bool) Change {
	if len(before) == 0 || len(after) == 0 {
		return Change{}
	}
	if samePairs(before, after) {
		return paired(before, after, wanted)
	}
	was, is := count(before), count(after)
	return Change{
		Method: "fisher",
		P:      Fisher(was, len(before), is, len(after)),
		Worse:  (is*len(before) < was*len(after)) == wanted && is*len(before) != was*len(after),
	}
}

func paired(before, after map[pairing]bool, wanted bool) Change {
	better, worse := 0, 0
	for key, was := range before {
		switch is := after[key]; {
		case is == was:
		case is == wanted:
			better++
		default:
			worse++
		}
	}
	return Change{Method: "mcnemar", P: McNemar(worse, better), Worse: worse > better}
}

func samePairs(a, b map[pairing]bool) bool {
	if len(a) != len(b) {
		return false
	}
	for key := range a {
		if _, ok := b[key]; !ok {
			return false
		}
	}
	return true
}

func count(outcomes map[pairing]bool) int {
	n := 0
	for _, yes := range outcomes {
		if yes {
			n++
		}
	}
	return n
}

// adjust applies Holm over the scenarios of each folder, to hits and to alarms.
func (c *Comparison) adjust() {
	for column := range c.Columns {
		var hits, alarms []*Change
		for row := range c.Rows {
			cell := &c.Rows[row].Cells[column]
			hits, alarms = append(hits, &cell.Hits), append(alarms, &cell.Alarms)
		}
		adjustFamily(hits)
		adjustFamily(alarms)
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
	}
}

// Outcome is good without a gate. With one it is 1 after a significant loss, and 3
// where a loss could not have been seen: a folder is incomplete, or has no valid
// run of what the base has, and its kernel does not excuse it.
func (c Comparison) Outcome() Outcome {
	if !c.gate {
		return Outcome{Code: ExitGood}
	}
	var losses, blind []string
	for i, column := range c.Columns {
		if column.Incomplete {
			blind = append(blind, column.RunID+" is incomplete")
		}
		for _, row := range c.Rows {
			losses = append(losses, row.losses(i, column)...)
			if row.blind(i, c.base()) {
				blind = append(blind, fmt.Sprintf("%s: %s has no valid run to compare", row.Scenario, column.RunID))
			}
		}
	}
	switch {
	case len(losses) > 0:
		return Outcome{Code: ExitBelow, Reasons: slices.Concat(losses, blind)}
	case len(blind) > 0:
		return Outcome{Code: ExitInfra, Reasons: blind}
	default:
		return Outcome{Code: ExitGood}
	}
}

func (c Comparison) base() int {
	return slices.IndexFunc(c.Columns, func(column Column) bool { return column.Base })
}

func (r ComparedScenario) losses(column int, of Column) []string {
	var out []string
	cell := r.Cells[column]
	if cell.Hits.Significant() {
		out = append(out, fmt.Sprintf("%s: %s finds %s (p %.3g, %s)", r.Scenario, of.RunID, cell.Recall, cell.Hits.Adjusted, cell.Hits.Method))
	}
	if cell.Alarms.Significant() {
		out = append(out, fmt.Sprintf("%s: %s accuses falsely %s (p %.3g, %s)", r.Scenario, of.RunID, cell.FAR, cell.Alarms.Adjusted, cell.Alarms.Method))
	}
	return out
}

// blind reports whether the base has valid runs that this column could not answer
// for want of its own.
func (r ComparedScenario) blind(column, base int) bool {
	was, is := r.Cells[base], r.Cells[column]
	missing := (was.Recall.N > 0 && is.Recall.N == 0) || (was.FAR.N > 0 && is.FAR.N == 0)
	return missing && is.Unsupported == 0
}
