// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/results"
)

func TestReliability(t *testing.T) {
	c := newCalibrations([]results.NamedCalibration{{
		Name: "rca",
		Calibration: results.Calibration{Bins: []results.ConfidenceBin{
			{Low: 0.2, Confidence: 0.25, Right: results.Wilson(0, 2)},
			{Low: 0.9, Confidence: 0.95, Right: results.Wilson(2, 3)},
		}},
	}})
	require.Len(t, c, 1)
	assert.True(t, c[0].Chart.Diagonal)
	s := c[0].Chart.Series[0]
	assert.Equal(t, "M60 180L228 60", s.Line)
	assert.Equal(t, "claimed 0.95, right 0.67 [0.21,0.94]", s.Points[1].Text)
	assert.Equal(t, point{X: 60, Y: 180, Low: 180, High: 62, Text: "claimed 0.25, right 0.00 [0.00,0.66]"}, s.Points[0])
}
