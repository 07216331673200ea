// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/results"
)

func TestChange(t *testing.T) {
	for name, test := range map[string]struct {
		cell results.Cell
		want change
	}{
		"the base":       {results.Cell{}, change{}},
		"a loss":         {results.Cell{Judgement: results.Worse}, change{"bad", "↓", "worse", ""}},
		"a gain":         {results.Cell{Judgement: results.Better}, change{"good", "↑", "better", ""}},
		"ruled out":      {results.Cell{Judgement: results.Unchanged}, change{"none", "=", "unchanged", ""}},
		"too few":        {results.Cell{Judgement: results.Unknown, Needed: 20}, change{"warn", "?", "unknown", "20 runs would tell"}},
		"hopeless":       {results.Cell{Judgement: results.Unknown, Needed: results.MaxRuns + 1}, change{"warn", "?", "unknown", "over 1000 runs would tell"}},
		"nothing tested": {results.Cell{Judgement: results.Unknown}, change{"warn", "?", "unknown", ""}},
	} {
		assert.Equal(t, test.want, newChange(test.cell), name)
	}
}

func TestJudged(t *testing.T) {
	assert.Equal(t, "1 worse, 2 better, 4 unknown", judged(map[results.Judgement]int{results.Unknown: 4, results.Worse: 1, results.Better: 2}))
	assert.Empty(t, judged(nil), "of the base")
}

func TestCell(t *testing.T) {
	all, none := results.Wilson(3, 3), results.Wilson(0, 3)
	for name, test := range map[string]struct {
		recall, far results.Proportion
		seeds       int
		unsupported int
		want        cell
	}{
		"good":         {all, none, 3, 0, cell{Class: "good", Sign: "✓", Word: "good", Faults: "3/3", Quiet: "0/3 accused"}},
		"a miss":       {results.Wilson(2, 3), none, 3, 0, cell{Class: "bad", Sign: "✗", Word: "misses", Faults: "2/3", Quiet: "0/3 accused"}},
		"an alarm":     {all, results.Wilson(1, 3), 3, 0, cell{Class: "bad", Sign: "▲", Word: "accuses innocents", Faults: "3/3", Quiet: "1/3 accused"}},
		"both":         {none, all, 3, 0, cell{Class: "bad", Sign: "✗▲", Word: "misses, and accuses innocents", Faults: "0/3", Quiet: "3/3 accused"}},
		"nine in ten":  {results.Wilson(9, 10), results.Wilson(0, 10), 10, 0, cell{Class: "good", Sign: "✓", Word: "good", Faults: "9/10", Quiet: "0/10 accused"}},
		"control":      {results.Proportion{}, none, 3, 0, cell{Class: "good", Sign: "✓", Word: "good", Quiet: "0/3 accused"}},
		"no valid run": {results.Proportion{}, results.Proportion{}, 3, 0, cell{Class: "warn", Sign: "?", Word: "does not count", Faults: "no valid run"}},
		"unsupported":  {results.Proportion{}, results.Proportion{}, 3, 6, cell{Class: "none", Sign: "–", Word: "unsupported", Faults: "unsupported"}},
	} {
		assert.Equal(t, test.want, newCell(test.recall, test.far, test.seeds, test.unsupported), name)
	}
}
