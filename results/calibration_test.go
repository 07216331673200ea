// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// sure is an accusation of thread tid that is made with a confidence.
func sure(confidence float64, tid int) contention.Finding {
	f := accuse(tid)
	f.Confidence = confidence
	return f
}

func TestCalibrate(t *testing.T) {
	records := []Record{
		{Run: Run{Variant: fault}, Verdict: Hit, Truth: guilty(1), Findings: []contention.Finding{sure(0.95, 1), sure(0.5, 2)}},
		{Run: Run{Variant: fault}, Verdict: Miss, Truth: guilty(1), Findings: []contention.Finding{sure(1, 3)}},
		{Run: Run{Variant: fault}, Verdict: Hit, Truth: guilty(1), Findings: []contention.Finding{sure(0.91, 1)}},
		{Run: Run{Variant: contention.TwinVariant}, Verdict: FalseAlarm, Findings: []contention.Finding{sure(0.5, 1)}},
		// What does not count: informing, and what is not valid.
		{Run: Run{Variant: fault}, Verdict: Miss, Truth: guilty(1), Findings: []contention.Finding{inform(contention.External, 1)}},
		{Run: Run{Variant: fault}, Verdict: Untrusted, Truth: guilty(1), Findings: []contention.Finding{sure(0.1, 1)}},
	}
	c := Calibrate(records)
	assert.Equal(t, 5, c.Accusations)
	require.Len(t, c.Bins, 2)
	assert.InDelta(t, 0.5, c.Bins[0].Low, 1e-12)
	assert.Equal(t, 2, c.Bins[0].Right.N)
	assert.Zero(t, c.Bins[0].Right.Value)
	assert.InDelta(t, 2.86/3, c.Bins[1].Confidence, 1e-12)
	assert.InDelta(t, 2.0/3, c.Bins[1].Right.Value, 1e-12)
	assert.InDelta(t, (0.0025+0.25+1+0.0081+0.25)/5, c.Brier, 1e-12)
	assert.InDelta(t, 0.24, c.Constant, 1e-12, "two of five are right")
	assert.InDelta(t, 2.0/5*0.5+3.0/5*(2.86-2)/3, c.Error, 1e-12)
	assert.Zero(t, Calibrate(nil))
}

func TestCalibrateWhereNobodyCanBeNamed(t *testing.T) {
	nobody := contention.Finding{Class: contention.LostWakeup, Confidence: 0.9}
	r := Record{Run: Run{Variant: fault}, Verdict: Hit, Truth: Truth{Nobody: true, Class: contention.LostWakeup}, Findings: []contention.Finding{nobody}}
	assert.InDelta(t, 1, Calibrate([]Record{r}).Bins[0].Right.Value, 0)
	r.Truth.Class = contention.LockHolder
	assert.InDelta(t, 0, Calibrate([]Record{r}).Bins[0].Right.Value, 0)
	r.Truth = guilty(1)
	assert.InDelta(t, 0, Calibrate([]Record{r}).Bins[0].Right.Value, 0)
}

func TestWriteCalibration(t *testing.T) {
	c := Calibration{
		Accusations: 4, Brier: 0.0525, Constant: 0.1875,
		Bins: []ConfidenceBin{{Low: 0.5, Confidence: 0.55, Right: Wilson(0, 1)}, {Low: 0.9, Confidence: 0.95, Right: Wilson(3, 3)}},
	}
	var out bytes.Buffer
	require.NoError(t, WriteCalibration(&out, Scores{Overall: []Summary{{Analyzer: "silent"}, {Analyzer: "rca", Calibration: c}}}))
	assert.Equal(t, `
ANALYZER  CONFIDENCE  MEAN  RIGHT             ACCUSATIONS  BRIER  OF A CONSTANT
rca       0.5–0.6     0.55  0.00 [0.00,0.79]  1            0.052  0.188
          0.9–1.0     0.95  1.00 [0.44,1.00]  3                   
`, out.String())
}
