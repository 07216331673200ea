// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// String renders b with three digits: 3.21ms, below 780µs, or not reached at 50ms.
func (b HoldBound) String() string {
	text := threeDigits(b.Hold).String()
	switch b.Beyond {
	case BelowLowest:
		return "below " + text
	case NotReached:
		return "not reached at " + text
	default:
		return text
	}
}

func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// String renders e with its interval, in which < and > stand for what lies outside of
// the doses tried.
func (e Estimate) String() string {
	short := func(b HoldBound) string {
		return map[Beyond]string{BelowLowest: "<", NotReached: ">"}[b.Beyond] + threeDigits(b.Hold).String()
	}
	return fmt.Sprintf("%s [%s,%s]", e.Value, short(e.Low), short(e.High))
}

// thresholdHead names the columns of thresholdRows.
var thresholdHead = []string{"FOUND FROM A HOLD OF", "ANALYZER", "NOISE", "RUNS", "HALF", "95 %", "FIT"}

// thresholdRows renders the thresholds over all numbers of contenders.
func thresholdRows(list []DetectionThreshold) [][]string {
	var rows [][]string
	for _, t := range list {
		if t.Contenders > 0 {
			continue
		}
		runs := 0
		for _, l := range t.Levels {
			runs += l.Runs
		}
		rows = append(rows, []string{
			t.Family, t.Analyzer, fmt.Sprint(t.Noise), fmt.Sprint(runs), t.Half.String(), t.Most.String(), t.Method,
		})
	}
	return rows
}

// WriteThresholds prints the thresholds over all numbers of contenders, nothing if no
// dose was varied.
func WriteThresholds(w io.Writer, s Scores) error {
	rows := thresholdRows(s.Thresholds)
	if len(rows) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t)
	for _, row := range append([][]string{thresholdHead}, rows...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write thresholds: %w", err)
	}
	return nil
}
