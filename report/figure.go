// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/results"
)

// figures is a table of what each analyser of a folder achieved.
type figures struct {
	Analyzers []string
	Rows      []figureRow
}

// figureRow is one measure.
type figureRow struct {
	Name, Meaning string
	Cells         []figure // by analyser
}

// figure is a value with its interval, as far as it has one.
type figure struct {
	Text, Interval string
	Exact          string // the interval after Clopper and Pearson
	Bar            *interval
}

// interval is drawn on a scale from 0 to 100.
type interval struct {
	Low, At, High int
	Signed        bool // 50 is nothing
}

// measure takes one figure from a summary.
type measure struct {
	name, meaning string
	of            func(results.Summary) figure
}

// measures are those shown, the headlines first.
var measures = []measure{
	{threadAC1, "faults whose first accusation is a true culprit", func(s results.Summary) figure { return proportion(s.Thread.AC1) }},
	{frameAC1, "… and shows the function it was in", func(s results.Summary) figure { return exactly(s.Frame, s.Exact.Frame) }},
	{falseAlarms, "runs without a culprit in which anybody is accused", func(s results.Summary) figure { return exactly(s.FAR, s.Exact.FAR) }},
	{youdenJ, "thread AC@1 less false alarms: 0 is a coin, 1 is perfect", youdenFigure},
	{"Hits", "faults of which all culprits stand first", func(s results.Summary) figure { return exactly(s.Recall, s.Exact.Recall) }},
	{"Class AC@1", "the kind of cause is right", func(s results.Summary) figure { return proportion(s.Class) }},
	{"Resource AC@1", "what was waited for is right", func(s results.Summary) figure { return proportion(s.Resource) }},
	{"Edge AC@1", "who waited for whom is right", func(s results.Summary) figure { return proportion(s.Edge) }},
	{"Decoys first", "faults in which an innocent made to look guilty is accused first", func(s results.Summary) figure { return proportion(s.DecoyRate) }},
	{"Chain F1", "mean over faults with a chain", func(s results.Summary) figure { return mean(s.ChainF1) }},
	{"Blame error", "of the culprits: |found − true| / true", func(s results.Summary) figure { return spread(s.BlameError) }},
	{"Wait error", "waiting seen against what threads account for", func(s results.Summary) figure { return spread(s.WaitError) }},
	{"Unexplained", "external and open waiting in faults", func(s results.Summary) figure { return spread(s.Unexplained) }},
	{"Found after", "time to the first right answer", found},
	{validity, "supported runs that enter accuracy", func(s results.Summary) figure { return proportion(s.Validity) }},
	{support, "planned runs that this machine could do", func(s results.Summary) figure { return proportion(s.Support) }},
}

func newFigures(s results.Scores) figures {
	f := figures{Analyzers: s.Analyzers}
	for _, m := range measures {
		row := figureRow{Name: m.name, Meaning: m.meaning}
		for _, sum := range s.Overall {
			row.Cells = append(row.Cells, m.of(sum))
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}

// unmeasured is a figure of nothing.
var unmeasured = figure{Text: "–"}

func proportion(p results.Proportion) figure {
	if p.N == 0 {
		return unmeasured
	}
	return figure{
		Text:     fmt.Sprintf("%.2f", p.Value),
		Interval: fmt.Sprintf("%.2f–%.2f, n = %d", p.Low, p.High, p.N),
		Bar:      &interval{Low: scale(p.Low), At: scale(p.Value), High: scale(p.High)},
	}
}

// exactly has the exact interval beside that after Wilson.
func exactly(p, exact results.Proportion) figure {
	f := proportion(p)
	if p.N > 0 {
		f.Exact = fmt.Sprintf("exact %.2f–%.2f", exact.Low, exact.High)
	}
	return f
}

func youdenFigure(s results.Summary) figure {
	if s.Youden == nil {
		return unmeasured
	}
	j := results.Newcombe(s.Thread.AC1, s.FAR) // it is the share found less that of false alarms
	return figure{
		Text:     signed(j.Value),
		Interval: signed(j.Low) + " to " + signed(j.High),
		Bar:      &interval{half(j.Low), half(j.Value), half(j.High), true},
	}
}

func mean(f *float64) figure {
	if f == nil {
		return unmeasured
	}
	return figure{Text: fmt.Sprintf("%.2f", *f)}
}

func spread(s results.Spread) figure {
	if s.N == 0 {
		return unmeasured
	}
	return figure{
		Text:     fmt.Sprintf("%.1f %%", 100*s.Median),
		Interval: fmt.Sprintf("median; p90 %.1f %%, n = %d", 100*s.P90, s.N),
	}
}

func found(s results.Summary) figure {
	if s.DetectedAfter.N == 0 {
		return unmeasured
	}
	return figure{
		Text:     duration(time.Duration(s.DetectedAfter.Median)),
		Interval: fmt.Sprintf("median; p90 %s, n = %d", duration(time.Duration(s.DetectedAfter.P90)), s.DetectedAfter.N),
	}
}

// signed renders a figure with the sign that print has for it.
func signed(v float64) string { return strings.Replace(fmt.Sprintf("%.2f", v), "-", "−", 1) }

// half puts −1..1 on 0..100.
func half(v float64) int { return scale((v + 1) / 2) }

// scale puts a share on 0..100.
func scale(share float64) int { return int(100*min(max(share, 0), 1) + 0.5) }

// headline is a figure of the first analyser for those who read no further.
type headline struct {
	Name string
	figure
}

// headlines are the measures that stand first.
func headlines(s results.Scores) []headline {
	if len(s.Overall) == 0 {
		return nil
	}
	var list []headline
	for _, m := range measures {
		switch m.name {
		case threadAC1, frameAC1, falseAlarms, youdenJ, validity, support:
			list = append(list, headline{m.name, m.of(s.Overall[0])})
		}
	}
	return list
}

// The names of the headlines.
const (
	threadAC1   = "Thread AC@1"
	frameAC1    = "Frame AC@1"
	falseAlarms = "False alarms"
	youdenJ     = "Youden J"
	validity    = "Validity"
	support     = "Support"
)
