// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func deadlockFive() Scenario {
	return Scenario{
		Name:      "deadlock-five",
		Mechanism: "Five threads hold a mutex each and wait for that of the next; others come by and wait with them, and the rest of the program goes on.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 2},
			{Hold: 10 * time.Millisecond, Contenders: 8},
		},
		Workload: "deadlock-five",
		Duration: 1500 * time.Millisecond,

		Class:     contention.Deadlock,
		Culprits:  5,
		Functions: []string{"dine"},
		Floor:     800 * time.Millisecond,
		Twin:      "takes the mutexes in one order, always",
		Decoys:    withDecoys(lastWaker("of a busy mutex that has nothing to do with the circle, ends most waits that end at all")),
	}
}
