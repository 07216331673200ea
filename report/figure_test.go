// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/results"
)

func TestFiguresOfTheFixture(t *testing.T) {
	f, err := results.Open(fixture)
	require.NoError(t, err)
	scores := results.Score(f)
	table := newFigures(scores)
	require.Len(t, table.Rows, len(measures))
	texts := map[string][]string{}
	for _, row := range table.Rows {
		for _, cell := range row.Cells {
			texts[row.Name] = append(texts[row.Name], cell.Text)
		}
	}
	assert.Equal(t, []string{"0.50", "0.00"}, texts[threadAC1], "one of two valid faults, and none")
	assert.Equal(t, []string{"0.50", "1.00"}, texts[falseAlarms])
	assert.Equal(t, []string{"0.00", "−1.00"}, texts[youdenJ])
	assert.Equal(t, []string{"0.67", "0.67"}, texts[validity], "one is invalid and one lost of six")
	assert.Equal(t, []string{"1.00", "1.00"}, texts[support])
	assert.Equal(t, []string{"0.50", "0.00"}, texts["Chain F1"])
	assert.Equal(t, []string{"50.1 %", "100.0 %"}, texts["Blame error"], "the middle of 0.2 % and 100 %")
	assert.Equal(t, []string{"120 ms", "–"}, texts["Found after"])
	assert.Len(t, headlines(scores), 6)
	assert.Empty(t, headlines(results.Scores{}))
}

// The ends of what was measured lie on the ends of the drawing.
func TestScales(t *testing.T) {
	assert.Equal(t, []int{0, 0, 50, 100, 100}, []int{scale(-1), scale(0), scale(0.5), scale(1), scale(2)})
	assert.Equal(t, []int{0, 50, 100}, []int{half(-1), half(0), half(1)})
	assert.Equal(t, unmeasured, proportion(results.Proportion{}))
}
