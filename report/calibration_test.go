// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// claimed is a run of culprit 1 under one analyser with accusations of given confidence.
func claimed(index int, verdict results.Verdict, confidence map[int]float64) results.Record {
	r := results.Record{
		Run:      results.Run{Index: index, Scenario: "s", Variant: contention.FaultVariant},
		Analyzer: "a", Verdict: verdict, Truth: results.Truth{Culprits: []results.Culprit{{TID: 1}}},
	}
	for tid := 1; tid <= 2; tid++ {
		if c, ok := confidence[tid]; ok {
			r.Findings = append(r.Findings, contention.Finding{Class: contention.LockHolder, Confidence: c, Culprit: &contention.Thread{TID: tid}})
		}
	}
	return r
}

func TestCalibration(t *testing.T) {
	twin := claimed(4, results.FalseAlarm, map[int]float64{1: 0.95})
	twin.Variant, twin.Truth = contention.TwinVariant, results.Truth{}
	f := &results.Folder{Records: []results.Record{
		claimed(0, results.Hit, map[int]float64{1: 1, 2: 0.25}),    // right, wrong
		claimed(1, results.Hit, map[int]float64{1: 0.9}),           // right
		claimed(2, results.Miss, map[int]float64{2: 0.29}),         // wrong
		claimed(3, results.Untrusted, map[int]float64{1: 0, 2: 1}), // does not count
		twin, // wrong, whoever it names
	}}
	c := newCalibration(f, "a")
	require.Len(t, c.Bins, 2)
	assert.Equal(t, 5, c.N)
	low, high := c.Bins[0], c.Bins[1]
	assert.Equal(t, results.Wilson(0, 2), low.Right)
	assert.InDelta(t, 0.27, low.Claimed, 1e-12)
	assert.Equal(t, 0.2, low.From)
	assert.Equal(t, results.Wilson(2, 3), high.Right)
	assert.InDelta(t, 0.95, high.Claimed, 1e-12)
	assert.Equal(t, results.Wilson(2, 5), c.Right)
	assert.InDelta(t, (2*0.27+3*(0.95-2.0/3))/5, c.Gap, 1e-12)
	assert.Equal(t, "M65 180L228 60", c.Chart.Series[0].Line)

	assert.Zero(t, newCalibration(f, "b").N)
}
