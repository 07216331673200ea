// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func cpuQuota() Scenario {
	return Scenario{
		Name:      "cpu-quota",
		Mechanism: "The holder of a mutex is not let run because the CPU quota of its control group is used up; a thread of another group has its CPU meanwhile, and would give way.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     quotaNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 4},
			{Hold: 60 * time.Millisecond, Contenders: 4},
			{Hold: 40 * time.Millisecond, Contenders: 2},
			{Hold: 40 * time.Millisecond, Contenders: 8},
		},
		Workload: "cpu-quota",
		Duration: 2 * time.Second,

		Class:    contention.CPUStarvation,
		Culprits: 1,
		Unnamed:  true, // a quota is no thread
		Floor:    300 * time.Millisecond,
		Twin:     "is in the same group, with a quota of two CPUs, which is enough for one thread",
		Decoys:   withDecoys(Decoy{Label: "occupant", Looks: "has the CPU of the holder while that is not let run"}),
	}
}
