// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func cpuNiceHog() Scenario {
	return Scenario{
		Name:      "cpu-nice-hog",
		Mechanism: "The holder of a mutex shares its CPU with a thread that is the contrary of nice, and gets next to nothing of it.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     priorityNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 4},
			{Hold: 20 * time.Millisecond, Contenders: 4},
			{Hold: 40 * time.Millisecond, Contenders: 2},
			{Hold: 40 * time.Millisecond, Contenders: 8},
		},
		Workload: "cpu-nice-hog",
		Duration: 1500 * time.Millisecond,

		Class:     contention.CPUStarvation,
		Culprits:  1,
		Functions: []string{"encode_frames"},
		Floor:     300 * time.Millisecond,
		Twin:      "computes as long while nobody holds the mutex",
		Decoys:    withDecoys(lastWaker("holds the mutex, and hands it on when it has been let run")),
	}
}
