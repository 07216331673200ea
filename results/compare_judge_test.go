// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestJudgements(t *testing.T) {
	for name, c := range map[string]struct {
		before, after [][]Record
		want          Judgement
		needed        int
	}{
		"all lost":          {[][]Record{play(10, "m", fault, Hit)}, [][]Record{play(10, "m", fault, Miss)}, Worse, 0},
		"all found":         {[][]Record{play(10, "m", fault, Miss)}, [][]Record{play(10, "m", fault, Hit)}, Better, 0},
		"more false alarms": {[][]Record{play(10, "m", control, CorrectReject)}, [][]Record{play(10, "m", control, FalseAlarm)}, Worse, 0},
		// The lower bounds of Wilson's interval are .806 and .796.
		"as before":        {[][]Record{play(16, "m", fault, Hit)}, [][]Record{play(16, "m", fault, Hit)}, Unchanged, 0},
		"as before, fewer": {[][]Record{play(15, "m", fault, Hit)}, [][]Record{play(15, "m", fault, Hit)}, Unknown, 39},
		"too few controls": {
			[][]Record{play(16, "m", fault, Hit), play(3, "m", twin, CorrectReject)},
			[][]Record{play(16, "m", fault, Hit), play(3, "m", twin, CorrectReject)}, Unknown, 39,
		},
		"seeds differ": {
			[][]Record{play(9, "m", fault, Hit)}, [][]Record{play(6, "m", fault, Hit)},
			Unknown, RunsNeeded(FisherTest, 1, .8, .05),
		},
		"nothing to find": {[][]Record{play(5, "m", fault, Miss)}, [][]Record{play(5, "m", fault, Miss)}, Unknown, 39},
		"not played":      {[][]Record{play(16, "m", fault, Hit)}, [][]Record{play(16, "n", fault, Hit)}, Unknown, 0},
		"all invalid":     {[][]Record{play(16, "m", fault, Hit)}, [][]Record{play(16, "m", fault, Invalid)}, Unknown, 0},
		"faults lost to the machine": {
			[][]Record{play(16, "m", fault, Hit), play(16, "m", twin, CorrectReject)},
			[][]Record{play(16, "m", fault, Untrusted), play(16, "m", twin, CorrectReject)}, Unknown, 0,
		},
	} {
		got := compared(t, false, onKernel("a", "6.1.0", c.before...), onKernel("b", "6.1.0", c.after...))
		assert.Equal(t, c.want, got.Rows[0].Cells[1].Judgement, name)
		assert.Equal(t, c.needed, got.Rows[0].Cells[1].Needed, name)
		assert.Equal(t, len(got.Rows), got.Columns[1].Judgements[c.want], name)
		assert.Empty(t, got.Rows[0].Cells[0].Judgement, "the base is not judged")
	}
}

func TestMoreScenariosAskForMoreRuns(t *testing.T) {
	var before, after [][]Record
	for _, name := range []string{"m", "n", "o", "p"} {
		before, after = append(before, play(5, name, fault, Hit)), append(after, play(5, name, fault, Hit))
	}
	c := compared(t, false, onKernel("a", "6.1.0", before...), onKernel("b", "6.1.0", after...))
	assert.Equal(t, RunsNeeded(McNemarTest, 1, .8, .05/4), c.Rows[0].Cells[1].Needed)
	assert.Equal(t, 4, c.Columns[1].Judgements[Unknown])
}
