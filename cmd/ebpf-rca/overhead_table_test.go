// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

func TestOverheadTable(t *testing.T) {
	ratio := func(low, at, high float64) *results.OverheadRatio {
		return &results.OverheadRatio{Ratio: at, CI: [2]float64{low, high}}
	}
	floor := [2]float64{0.99, 1.01}
	var out bytes.Buffer
	require.NoError(t, writeOverheadTable(&out, []results.OverheadLine{
		{Workload: "w", Observer: "none", Ratio: 1, CI: floor, NoiseFloor: floor, Pairs: 16, Throughput: ratio(1, 1, 1)},
		{Workload: "w", Observer: "peer:x", Absent: "absent: x is not installed"},
		{
			Workload: "w", Observer: "default", Ratio: 1.19, CI: [2]float64{1.16, 1.22}, NoiseFloor: floor, Pairs: 16,
			Throughput: ratio(0.9, 0.95, 1), P99: ratio(1, 1.1, 1.2), TimesEmpty: ratio(2.5, 2.7, 2.9),
			EventsPerSecond: 200_000, ProgramShare: 0.06, CPUShare: 0.0125, RSSBytes: 40_000_000, MapBytes: 22_726_848,
			Loss: contention.Loss{RingFull: 3, StackMiss: 5},
		},
	}))
	assert.Equal(t, `w: 16 pairs, unobserved runs differ by 0.990–1.010
OBSERVER  CPU TIME      95 %         × EMPTY        THROUGHPUT  P99    NS A RUN  RUNS/S  ITS CPU  MEMORY   MAPS     LOST
none      within noise  0.990–1.010  -              1.000       -      -         -       -        -        -        0
default   1.190         1.160–1.220  2.7 (2.5–2.9)  0.950       1.100  300       200000  1.2 %    40.0 MB  22.7 MB  3
peer:x: absent: x is not installed

`, out.String())

	out.Reset()
	require.NoError(t, writeOverheadTable(&out, []results.OverheadLine{{Workload: "w", Observer: "none", Absent: "absent: no sysbench"}}))
	assert.Equal(t, "w: absent: no sysbench\n\n", out.String())
	out.Reset()
	require.NoError(t, writeOverheadTable(&out, nil))
	assert.Empty(t, out.String())
}

func TestOverheadText(t *testing.T) {
	quiet, loud := [2]float64{0.99, 1.01}, [2]float64{0.95, 1.05}
	for want, l := range map[string]results.OverheadLine{
		"within noise":  {Ratio: 1.005, NoiseFloor: quiet},
		"not decidable": {Ratio: 1.03, NoiseFloor: loud},
		"1.030":         {Ratio: 1.03, NoiseFloor: quiet},
		"3.700":         {Ratio: 3.7, NoiseFloor: loud},
	} {
		assert.Equal(t, want, overheadText(l))
	}
}
