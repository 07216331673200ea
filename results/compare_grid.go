// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Write prints the comparison for a terminal: what differs between the machines,
// then the grid, what of it is worse or better, and what the gate says, if there is one.
func (c Comparison) Write(w io.Writer) error {
	var b bytes.Buffer
	c.writeDifferences(&b)
	c.writeGrid(&b)
	c.writeJudgements(&b)
	for _, reason := range c.Outcome().Reasons {
		fmt.Fprintf(&b, "gate: %s\n", reason)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func (c Comparison) writeDifferences(b *bytes.Buffer) {
	if len(c.Differences) == 0 {
		return
	}
	fmt.Fprintln(b, "The environments differ, so a change below need not come from the kernel or the tool:")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, d := range c.Differences {
		row := []string{"  " + d.Property}
		for _, v := range d.Values {
			row = append(row, cmp.Or(shorten(v), "?"))
		}
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	_ = t.Flush() // into memory
	fmt.Fprintln(b)
}

// shorten cuts hashes and command lines to what can be told apart.
func shorten(s string) string {
	const most = 32
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

func (c Comparison) writeGrid(b *bytes.Buffer) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, line := range c.head() {
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	for _, row := range c.Rows {
		cells := []string{row.Scenario}
		for i, cell := range row.Cells {
			cells = append(cells, cell.score(cell.AC1, cell.Hits), cell.score(cell.FAR, cell.Alarms), cell.blame())
			if !c.Columns[i].Base {
				cells = append(cells, cell.judgement())
			}
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	_ = t.Flush() // into memory
	fmt.Fprint(b, "\n* base; p after Holm, by exact McNemar where seeds agree (m), else Fisher (f), of blame errors by Mann–Whitney (w)\n")
	fmt.Fprintf(b, "! significant loss; unchanged: a change by %.0f points is ruled out; unknown: so many runs would show one\n", 100*c.Drop)
}

// head names each column by its kernel, its run, which tells apart two of one kernel,
// and its analyser.
func (c Comparison) head() [][]string {
	kernels, runs, analyzers, measures := []string{""}, []string{""}, []string{""}, []string{"SCENARIO"}
	for _, column := range c.Columns {
		name := cmp.Or(column.Kernel, "kernel unknown")
		run := column.RunID
		if column.Incomplete {
			run += " (incomplete)"
		}
		fields := []string{"AC@1", "FAR", "BLAME ERR"}
		if column.Base {
			name = "* " + name
		} else {
			fields = append(fields, "CHANGE")
		}
		beside := make([]string, len(fields)-1)
		kernels = append(append(kernels, name), beside...)
		runs = append(append(runs, run), beside...)
		analyzers = append(append(analyzers, column.Analyzer), beside...)
		measures = append(measures, fields...)
	}
	return [][]string{kernels, runs, analyzers, measures}
}

// score renders a share of n runs and the change from the base, if there was one to
// test.
func (c Cell) score(p Proportion, change Change) string {
	switch {
	case p.N > 0:
		return fmt.Sprintf("%.2f n=%d", p.Value, p.N) + change.mark('m', 'f')
	case c.Unsupported > 0:
		return "unsupported"
	default:
		return "-"
	}
}

func (c Cell) blame() string {
	return c.BlameError.percent(c.BlameError.Median) + c.Blame.mark('w', 'w')
}

// mark renders how likely chance makes such a change, if there is one: with a letter for
// runs in pairs or for others.
func (c Change) mark(pairs, others rune) string {
	if c.Method == "" || c.P >= 1 {
		return ""
	}
	letter := others
	if c.Method == McNemarTest {
		letter = pairs
	}
	text := fmt.Sprintf(" p=%.3g%c", c.Adjusted, letter)
	if c.Significant() {
		text += " !"
	}
	return text
}

func (c Cell) judgement() string {
	switch {
	case c.Needed > MaxRuns:
		return fmt.Sprintf("%s (>%d)", c.Judgement, MaxRuns)
	case c.Needed > 0:
		return fmt.Sprintf("%s (%d)", c.Judgement, c.Needed)
	default:
		return string(c.Judgement)
	}
}

// writeJudgements lists for each column what is worse and what is better, and counts the
// rest.
func (c Comparison) writeJudgements(b *bytes.Buffer) {
	for i, column := range c.Columns {
		if column.Base {
			continue
		}
		fmt.Fprintf(b, "\n%s, %s:\n", column.RunID, column.Analyzer)
		for _, judgement := range judgements {
			fmt.Fprintf(b, "  %d %s", column.Judgements[judgement], judgement)
			if judgement == Worse || judgement == Better {
				b.WriteString(c.named(i, judgement))
			}
			b.WriteByte('\n')
		}
	}
}

// named lists the scenarios of a column with a judgement.
func (c Comparison) named(column int, judgement Judgement) string {
	var names []string
	for _, row := range c.Rows {
		if row.Cells[column].Judgement == judgement {
			names = append(names, row.Scenario)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}
