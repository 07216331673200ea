// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func barrierStraggler() Scenario {
	return Scenario{
		Name:      "barrier-straggler",
		Mechanism: "Groups of threads go from step to step by a barrier of two levels; one thread is slow to come, by turns computing and asleep, and all but its own leader are let go by theirs.",
		Kinds:     []contention.Kind{contention.Barrier},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 25 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 25 * time.Millisecond, Contenders: 2},
		},
		Workload: "barrier-straggler",
		Duration: 1500 * time.Millisecond,

		Class:     contention.Straggler,
		Culprits:  1,
		Functions: []string{"integrate_cells"},
		Floor:     200 * time.Millisecond,
		Twin:      "does as much once the step is done, while nobody waits for it",
		Decoys:    withDecoys(lastWaker("the leader of the larger group, which alone lets its members go")),
	}
}
