// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// atDose are hits and misses of a scenario at one dose, as rca has them.
func atDose(scenario string, dose contention.Dose, hits, misses int) []Record {
	var out []Record
	for i := range hits + misses {
		v := Hit
		if i >= hits {
			v = Miss
		}
		run := Run{Scenario: scenario, Variant: fault, Seed: uint64(i), Dose: dose}
		out = append(out, Record{Run: run, Analyzer: "rca", Verdict: v})
	}
	return out
}

func ms(hold float64) contention.Dose {
	return contention.Dose{Hold: time.Duration(hold * float64(time.Millisecond)), Contenders: 4}
}

func TestThresholds(t *testing.T) {
	crowded, loud := ms(16), ms(16)
	crowded.Contenders, loud.Noise = 8, 32
	invalid := atDose("mutex-hold", ms(0.25), 0, 3)
	for i := range invalid {
		invalid[i].Verdict = Invalid
	}
	f := &Folder{Plan: Plan{Analyzers: rcaOnly}, Records: join(
		atDose("mutex-hold", ms(1), 0, 10), atDose("mutex-hold", ms(4), 3, 2), atDose("mutex-convoy", ms(4), 2, 3),
		atDose("mutex-hold", crowded, 10, 0), atDose("mutex-hold", loud, 10, 0), invalid,
		atDose("deadlock-two", ms(10), 10, 0),
	)}
	got := DetectionThresholds(f)
	require.Len(t, got, 2, "not of noise or of deadlocks, which have one hold time")

	all := got[0]
	assert.Equal(t, []HoldLevel{{time.Millisecond, 0, 10}, {4 * time.Millisecond, 5, 10}, {16 * time.Millisecond, 10, 10}}, all.Levels)
	assert.Equal(t, "isotonic", all.Method)
	assert.Equal(t, HoldBound{Hold: 4 * time.Millisecond}, all.Half.Value)
	// Nine tenths of the way from ln 4 to ln 16.
	assert.Equal(t, HoldBound{Hold: 13_928_809}, all.Most.Value)
	assert.Less(t, all.Half.Low.Hold, all.Half.Value.Hold)
	assert.Greater(t, all.Half.High.Hold, all.Half.Value.Hold)

	four := got[1]
	assert.Equal(t, 4, four.Contenders)
	assert.Equal(t, HoldBound{4 * time.Millisecond, NotReached}, four.Most.Value)
	assert.Equal(t, NotReached, four.Most.High.Beyond)
	assert.Equal(t, got, DetectionThresholds(f), "the same again")
}

func TestScenarioThresholds(t *testing.T) {
	crowded := ms(16)
	crowded.Contenders = 8
	f := &Folder{Plan: Plan{Analyzers: rcaOnly}, Records: join(
		atDose("mutex-hold", ms(1), 0, 10), atDose("mutex-hold", ms(4), 5, 5), atDose("mutex-hold", ms(16), 10, 0),
		atDose("mutex-hold", crowded, 10, 0), atDose("mutex-convoy", ms(4), 0, 10),
	)}
	got := ScenarioThresholds(f, "mutex-hold", "rca")
	require.Len(t, got, 1, "eight contenders had one hold time")
	assert.Equal(t, 4, got[0].Contenders)
	assert.Equal(t, HoldBound{Hold: 4 * time.Millisecond}, got[0].Half.Value)
	assert.Equal(t, 3, len(got[0].Levels))
	assert.Empty(t, ScenarioThresholds(f, "mutex-convoy", "rca"))
}

func TestThresholdWhereMissesAndHitsOverlap(t *testing.T) {
	f := &Folder{Plan: Plan{Analyzers: rcaOnly}, Records: join(
		atDose("mutex-hold", ms(1), 4, 16), atDose("mutex-hold", ms(4), 10, 10), atDose("mutex-hold", ms(16), 16, 4),
	)}
	got := DetectionThresholds(f)[0]
	assert.Equal(t, "logistic", got.Method)
	assert.InEpsilon(t, 4*time.Millisecond, got.Half.Value.Hold, 1e-6, "by symmetry")
	assert.Equal(t, NotReached, got.Most.Value.Beyond, "the logit grows by ln 4 for each factor of 4: 95 % are at 76 ms")
}

func TestWriteThresholds(t *testing.T) {
	f := &Folder{Plan: Plan{Analyzers: rcaOnly}, Records: join(
		atDose("mutex-hold", ms(1), 5, 0), atDose("mutex-hold", ms(50), 5, 0),
		atDose("pipe-slow", ms(1), 0, 5), atDose("pipe-slow", ms(50), 0, 5),
	)}
	scores := Scores{Thresholds: DetectionThresholds(f)}
	var out bytes.Buffer
	require.NoError(t, WriteThresholds(&out, scores))
	assert.Equal(t, `
FOUND FROM A HOLD OF  ANALYZER  NOISE  RUNS  HALF                               95 %                               FIT
mutex                 rca       0      10    below 1ms [<1ms,<1ms]              below 1ms [<1ms,>50ms]             isotonic
pipe                  rca       0      10    not reached at 50ms [>50ms,>50ms]  not reached at 50ms [>50ms,>50ms]  isotonic
`, out.String())
	assert.ErrorIs(t, WriteThresholds(deafWriter{}, scores), errDeaf)
	out.Reset()
	require.NoError(t, WriteThresholds(&out, Scores{}))
	assert.Empty(t, out.String())
}

func TestHoldBound(t *testing.T) {
	assert.Equal(t, "3.21ms", HoldBound{Hold: 3_214_159}.String())
	assert.Equal(t, "13.9ms", HoldBound{Hold: 13_928_809}.String())
	assert.Equal(t, "below 781µs", HoldBound{781_250, BelowLowest}.String())
	assert.Equal(t, "[<", Estimate{Low: HoldBound{1, BelowLowest}}.String()[3:5])
}
