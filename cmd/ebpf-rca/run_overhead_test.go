// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
)

func TestOverheadLine(t *testing.T) {
	ratio := harness.OverheadResult{
		Overhead:   results.Overhead{Ratio: 1.19, CI: [2]float64{1.16, 1.22}, Pairs: 10},
		NoiseFloor: [2]float64{0.99, 1.01},
		Loss:       contention.Loss{RingFull: 2},
	}
	cost := harness.OverheadResult{Overhead: results.Overhead{NsPerEvent: map[string]float64{"sched_waking": 260}, Ratio: 9}}
	text, err := json.Marshal(lineOf("futex-pingpong", ratio, cost))
	require.NoError(t, err)
	assert.JSONEq(t, `{"schema":"ebpf-rca/overhead/1","workload":"futex-pingpong","observer":"default","ratio":1.19,"ci":[1.16,1.22],
		"pairs":10,"noise_floor":[0.99,1.01],"ns_per_event":{"sched_waking":260},
		"loss":{"ring_full":2,"map_full":0,"stack_incomplete":0,"unmatched_wake":0,"skipped":0,"detached":0,"stack_miss":0}}`, string(text))
	assert.Equal(t, "switch 350, waking 260", eventText(map[string]float64{"sched_switch": 350, "sched_waking": 260}))
	assert.Equal(t, "switch 340, waking 0", eventText(map[string]float64{"sched_switch_three": 340}), "before 5.18")
	assert.Equal(t, "1.190", overheadText(lineOf("w", ratio, cost)))
	ratio.Ratio = 1.005
	assert.Equal(t, "within noise", overheadText(lineOf("w", ratio, cost)))
}
