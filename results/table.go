// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteTable prints the scores for a terminal, one line for each scenario and
// analyser and one for all scenarios together.
func WriteTable(w io.Writer, s Scores) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(tableHead, "\t"))
	for _, sum := range s.Scenarios {
		fmt.Fprintln(t, strings.Join(tableRow(sum), "\t"))
	}
	for _, sum := range s.Overall {
		fmt.Fprintln(t, strings.Join(tableRow(sum), "\t"))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

var tableHead = []string{"SCENARIO", "ANALYZER", "RUNS", "AC@1", "FRAME", "CLASS", "CHAIN", "FAR", "BLAME ERR", "P90", "TV", "WAIT ERR", "VALID", "NOT AS IT SHOULD BE"}

func tableRow(s Summary) []string {
	return []string{
		cmp.Or(s.Scenario, "all"),
		s.Analyzer,
		fmt.Sprint(s.Runs),
		s.Thread.AC1.String(),
		brief(s.Frame),
		brief(s.Class),
		optional(s.ChainF1),
		brief(s.FAR),
		s.BlameError.percent(s.BlameError.Median),
		s.BlameError.percent(s.BlameError.P90),
		s.TVDistance.percent(s.TVDistance.Median),
		s.WaitError.percent(s.WaitError.Median),
		percent(s.Validity),
		exceptions(s),
	}
}

// brief renders a share without its interval.
func brief(p Proportion) string {
	if p.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", p.Value)
}

func optional(figure *float64) string {
	if figure == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *figure)
}

func percent(p Proportion) string {
	if p.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*p.Value)
}

// percent renders one figure of s, "-" if there is none.
func (s Spread) percent(figure float64) string {
	if s.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*figure)
}

// verdictsToExplain are those that a reader wants to know of, the graver first.
var verdictsToExplain = []Verdict{Miss, FalseAlarm, Lost, Infra, Timeout, Untrusted, Invalid, Unsupported}

// exceptions counts the verdicts other than right answers and the runs that took more
// than one attempt, "-" if there are none.
func exceptions(s Summary) string {
	var parts []string
	for _, v := range verdictsToExplain {
		if n := s.Verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if s.Again > 0 {
		parts = append(parts, fmt.Sprintf("%d played again", s.Again))
	}
	return cmp.Or(strings.Join(parts, ", "), "-")
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
