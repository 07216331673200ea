// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func cpuInversion() Scenario {
	return Scenario{
		Name:      "cpu-inversion",
		Mechanism: "Priority inversion: a low thread holds a mutex that a high one waits for, and a middle one keeps the low one from the CPU of all three.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     priorityNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 2},
			{Hold: 20 * time.Millisecond, Contenders: 2},
			{Hold: 40 * time.Millisecond, Contenders: 1},
		},
		Workload: "cpu-inversion",
		Duration: 1500 * time.Millisecond,

		Class:     contention.CPUStarvation,
		Culprits:  1,
		Functions: []string{"compress_image"},
		Floor:     200 * time.Millisecond,
		Twin:      "computes as long while nobody holds the mutex",
		Decoys:    withDecoys(lastWaker("holds the mutex, and hands it on when it has been let run")),
	}
}
