// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/results"
)

func TestOverhead(t *testing.T) {
	rows := newOverhead([]results.OverheadLine{
		{Workload: "w", Observer: "none", Ratio: 1, CI: [2]float64{0.95, 1.05}, NoiseFloor: [2]float64{0.9, 1.1}},
		{Workload: "w", Observer: "peer:tool", Absent: "it is not installed"},
		{
			Workload: "w", Observer: "default", Ratio: 1.2, CI: [2]float64{1.15, 1.4}, NoiseFloor: [2]float64{0.95, 1.05},
			NsPerEvent: map[string]float64{"sched_waking": 260, "sched_switch": 350.4},
		},
	})
	require.Len(t, rows, 2)
	free, dear := rows[0], rows[1]
	assert.True(t, free.Within)
	assert.Equal(t, 20, free.At, "of 0.9 to 1.4")
	assert.Equal(t, [2]int{0, 40}, [2]int{free.FloorLow, free.FloorHigh})
	assert.False(t, dear.Within)
	assert.Equal(t, "+20.0 %", dear.Cost)
	assert.Equal(t, "+15.0 to +40.0 %", dear.Interval)
	assert.Equal(t, "−5.0 to +5.0 %", dear.Noise)
	assert.Equal(t, "sched_switch 350, sched_waking 260", dear.Events)
	assert.Equal(t, [4]int{20, 50, 60, 100}, [4]int{dear.Equal, dear.Low, dear.At, dear.High})
}
