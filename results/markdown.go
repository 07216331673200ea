// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// MaxMarkdown is how large a summary may get, in bytes; GitHub refuses more than
// 1 MiB a step.
const MaxMarkdown = 900 << 10

// WriteMarkdown exports a summary to read on a web page: the outcome, the machine,
// what speaks against the figures, the table, the thresholds of a run with a dose sweep,
// and each run that was not as it should be, as far as there is room.
func WriteMarkdown(w io.Writer, f *Folder, s Scores) error {
	m := markdown{limit: MaxMarkdown}
	m.outcome(f, s.Outcome())
	m.machine(f.Env)
	m.list("Warnings", f.Warnings)
	m.list("Reasons to doubt the figures", s.DoubtsBeside(s.Outcome()))
	m.figures(s)
	m.thresholds(s)
	m.exceptions(f)
	if _, err := w.Write(m.text.Bytes()); err != nil {
		return fmt.Errorf("write summary: %w", err)
	}
	return nil
}

// markdown is a text that takes whole lines until it is full, and keeps room to
// say what it left out.
type markdown struct {
	text  bytes.Buffer
	limit int
	full  bool
}

const moreRoom = 200

func (m *markdown) line(format string, args ...any) bool {
	line := fmt.Sprintf(format, args...) + "\n"
	if m.full || m.text.Len()+len(line)+moreRoom > m.limit {
		if !m.full {
			m.text.WriteString("\n_Cut here: the summary has grown too large._\n")
		}
		m.full = true
		return false
	}
	m.text.WriteString(line)
	return true
}

func (m *markdown) outcome(f *Folder, o Outcome) {
	verdict := map[int]string{
		ExitGood:    "good",
		ExitBelow:   "below the threshold",
		ExitInfra:   "runs are lost or broken",
		ExitNothing: "nothing could run",
	}[o.Code]
	m.line("## ebpf-rca %s: %s", cell(f.Plan.RunID), verdict)
	if part := f.Plan.Part; part != nil {
		m.line("\nThis is shard %v of plan %.12s.", part.Shard, part.PlanID)
	}
	if f.Incomplete {
		m.line("\n**Incomplete:** not every planned run left a record.")
	}
	m.list("", o.Reasons)
}

func (m *markdown) machine(e Env) {
	var parts []string
	for _, p := range e.Properties() {
		parts = append(parts, cell(p.Name+" "+p.Value))
	}
	if len(parts) > 0 {
		m.line("\n%s", strings.Join(parts, " · "))
	}
}

func (m *markdown) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	if title != "" {
		m.line("\n### %s", title)
	}
	m.line("")
	for _, item := range items {
		m.line("- %s", cell(item))
	}
}

func (m *markdown) table(head []string, rows [][]string) {
	m.line("\n| %s |", strings.Join(head, " | "))
	m.line("|%s", strings.Repeat("---|", len(head)))
	for _, row := range rows {
		safe := make([]string, len(row))
		for i := range row {
			safe[i] = cell(row[i])
		}
		m.line("| %s |", strings.Join(safe, " | "))
	}
}

func (m *markdown) figures(s Scores) {
	var rows [][]string
	for _, sum := range slices.Concat(s.Scenarios, s.Overall) {
		rows = append(rows, tableRow(sum))
	}
	m.table(tableHead, rows)
}

// thresholds tells from which hold time on faults are found, where doses were varied.
func (m *markdown) thresholds(s Scores) {
	if rows := thresholdRows(s.Thresholds); len(rows) > 0 {
		m.line("\n### From which hold time on faults are found, with the 95 %% interval of the bootstrap")
		m.table(thresholdHead, rows)
	}
}

// exceptions lists the runs of the first analyser that were not right answers.
func (m *markdown) exceptions(f *Folder) {
	if len(f.Plan.Analyzers) == 0 {
		return
	}
	var odd []string
	for _, r := range f.Select("", f.Plan.Analyzers[0]) {
		if r.Verdict != Hit && r.Verdict != CorrectReject {
			odd = append(odd, fmt.Sprintf("run %d, %s, %s, seed %d: %s", r.Index, r.Scenario, r.Variant, r.Seed, explain(r)))
		}
	}
	m.list("Runs to look at", odd)
}

// cell makes text safe inside a table or list.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "`", "'").Replace(oneLine(s))
}
