// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"slices"
)

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
	if cell.Blame.Significant() {
		out = append(out, fmt.Sprintf("%s: %s blames with an error of %.1f%%, %s (p %.3g, %s)", r.Scenario, of.RunID,
			100*cell.BlameError.Median, cell.Blame.points(), cell.Blame.Adjusted, cell.Blame.Method))
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
