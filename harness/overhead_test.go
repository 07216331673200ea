// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

func overheadOptions(t *testing.T, workload string, observer Observer) OverheadOptions {
	return OverheadOptions{
		Stage: stageOfFakes(t), Observer: observer, Scenario: fakeScenario(workload), Variant: contention.TwinVariant, Pairs: 3,
	}
}

func TestOverheadIsMeasuredABBA(t *testing.T) {
	observer := &fakeObserver{trace: contention.Trace{Loss: contention.Loss{RingFull: 1, MapFull: 2}}}
	o := overheadOptions(t, "busy", observer)
	var attached []int
	o.Progress = func(done, total int) {
		assert.Equal(t, 8, total, "three pairs are made four")
		attached = append(attached, len(observer.pids))
	}
	got, err := MeasureOverhead(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 2, 2, 2, 3, 4, 4}, attached)
	assert.Equal(t, 4, got.Pairs)
	assert.Positive(t, got.CI[0])
	assert.LessOrEqual(t, got.CI[0], got.Ratio)
	assert.LessOrEqual(t, got.Ratio, got.CI[1])
	assert.LessOrEqual(t, got.NoiseFloor[0], got.NoiseFloor[1])
	assert.Equal(t, uint64(40), got.Events)
	assert.InDelta(t, 0.5, got.CPUShare, 1e-9)
	assert.InDelta(t, 300, got.NsPerEvent["program"], 1e-9)
	assert.Equal(t, contention.Loss{RingFull: 4, MapFull: 8}, got.Loss)
	requireNoChildren(t)
}

func TestOverheadOfNothingIsAnError(t *testing.T) {
	_, err := MeasureOverhead(t.Context(), overheadOptions(t, "idle", &fakeObserver{}))
	require.ErrorContains(t, err, "nothing to measure: 0 operations")
	_, err = MeasureOverhead(t.Context(), overheadOptions(t, "unstopped", &fakeObserver{}))
	require.ErrorContains(t, err, "cut short")
	failure := errors.New("no programs")
	_, err = MeasureOverhead(t.Context(), overheadOptions(t, "busy", &fakeObserver{attachErr: failure}))
	require.ErrorIs(t, err, failure)
	_, err = MeasureOverhead(t.Context(), OverheadOptions{})
	require.ErrorContains(t, err, "no observer")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = MeasureOverhead(ctx, overheadOptions(t, "busy", &fakeObserver{}))
	require.ErrorIs(t, err, context.Canceled)
	requireNoChildren(t)
}

func TestOverheadRatioIsObservedOverUnobserved(t *testing.T) {
	m := overheadMeasurement{
		pairs: []results.Pair{{Over: 12, Under: 10}, {Over: 24, Under: 20}},
		noise: []results.Pair{{Over: 20, Under: 10}, {Over: 10, Under: 20}},
	}
	got, err := m.result()
	require.NoError(t, err)
	assert.InDelta(t, 1.2, got.Ratio, 1e-9)
	assert.InDelta(t, 1.2, got.CI[1], 1e-9)
	assert.InDelta(t, 0.5, got.NoiseFloor[0], 1e-9)
	assert.InDelta(t, 2, got.NoiseFloor[1], 1e-9)
}
