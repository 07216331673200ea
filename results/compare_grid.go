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
// then the grid, then what the gate says, if there is one.
func (c Comparison) Write(w io.Writer) error {
	var b bytes.Buffer
	c.writeDifferences(&b)
	c.writeGrid(&b)
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
		for _, cell := range row.Cells {
			cells = append(cells, cell.score(cell.AC1, cell.Hits), cell.score(cell.FAR, cell.Alarms))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	_ = t.Flush() // into memory
	fmt.Fprintf(b, "\nanalyzer %s; * base; p by exact McNemar where seeds agree (m), else Fisher (f), after Holm; ! significant loss\n", c.Analyzer)
}

// head names each column by its kernel, and by its run, which tells apart two of one
// kernel.
func (c Comparison) head() [][]string {
	kernels, runs, measures := []string{""}, []string{""}, []string{"SCENARIO"}
	for _, column := range c.Columns {
		name := cmp.Or(column.Kernel, "kernel unknown")
		if column.Base {
			name = "* " + name
		}
		run := column.RunID
		if column.Incomplete {
			run += " (incomplete)"
		}
		kernels = append(kernels, name, "")
		runs = append(runs, run, "")
		measures = append(measures, "AC@1", "FAR")
	}
	return [][]string{kernels, runs, measures}
}

// score renders a share of n runs and the change from the base, if there was one to
// test.
func (c Cell) score(p Proportion, change Change) string {
	switch {
	case p.N > 0:
		text := fmt.Sprintf("%.2f n=%d", p.Value, p.N)
		if change.Method != "" && change.P < 1 {
			text += fmt.Sprintf(" p=%.3g%c", change.Adjusted, change.Method[0])
		}
		if change.Significant() {
			text += " !"
		}
		return text
	case c.Unsupported > 0:
		return "unsupported"
	default:
		return "-"
	}
}
