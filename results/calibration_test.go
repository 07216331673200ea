// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"strings"
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
	require.NotNil(t, c.Skill)
	assert.InDelta(t, 1-c.Brier/0.24, *c.Skill, 1e-12)
	assert.Negative(t, *c.Skill, "worse than to say 0.4 always")
	assert.InDelta(t, 2.0/5*0.5+3.0/5*(2.86-2)/3, c.Error, 1e-12)
	assert.Zero(t, Calibrate(nil))
	assert.Nil(t, Calibrate(records[2:3]).Skill, "no constant can be beaten where all are right")
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
	at := func(analyzer string, index int, verdict Verdict, findings ...contention.Finding) Record {
		return Record{Run: Run{Index: index, Variant: fault}, Analyzer: analyzer, Verdict: verdict, Truth: guilty(1), Findings: findings}
	}
	f := &Folder{
		Plan: Plan{Analyzers: []string{"rca", "silent", "rca@no-owners"}},
		Records: []Record{
			at("rca", 0, Hit, sure(0.95, 1)), at("rca", 1, Hit, sure(0.95, 1), sure(0.5, 2)),
			at("silent", 0, Miss), at("silent", 1, Miss, sure(0, 2)),
			at("rca@no-owners", 0, Hit, sure(0.75, 1)), at("rca@no-owners", 1, Miss),
		},
	}
	var out bytes.Buffer
	require.NoError(t, WriteCalibration(&out, Score(f)))
	lines := strings.Split(out.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	assert.Equal(t, `
ANALYZER       CONFIDENCE  MEAN  RIGHT             ACCUSATIONS  ERROR  BRIER  OF A CONSTANT  SKILL
rca            0.5–0.6     0.50  0.00 [0.00,0.79]  1            0.200  0.085  0.222          0.62
               0.9–1.0     0.95  1.00 [0.34,1.00]  2
rca@no-owners  0.7–0.8     0.75  1.00 [0.21,1.00]  1            0.250  0.062  0.000          -
rca@*          0.5–0.6     0.50  0.00 [0.00,0.79]  1            0.213  0.079  0.188          0.58
               0.7–0.8     0.75  1.00 [0.21,1.00]  1
               0.9–1.0     0.95  1.00 [0.34,1.00]  2
`, strings.Join(lines, "\n"))
	assert.ErrorIs(t, WriteCalibration(deafWriter{}, Score(f)), errDeaf)
	out.Reset()
	require.NoError(t, WriteCalibration(&out, Scores{}))
	assert.Empty(t, out.String())
}

// Records come from files: a confidence may be anything.
func TestCalibrateOfImpossibleConfidence(t *testing.T) {
	for _, confidence := range []float64{-1, 2, 1e300, -1e300} {
		c := Calibrate([]Record{{Run: Run{Variant: fault}, Verdict: Hit, Truth: guilty(1), Findings: []contention.Finding{sure(confidence, 1)}}})
		assert.Equal(t, 1, c.Accusations, confidence)
		assert.Len(t, c.Bins, 1, confidence)
	}
}
