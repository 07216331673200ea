// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func chainFive() Scenario {
	return Scenario{
		Name:      "chain-five",
		Mechanism: "Five threads in a row, each of which holds a mutex and waits for that of the next; the last one sleeps.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 40 * time.Millisecond, Contenders: 2},
			{Hold: 40 * time.Millisecond, Contenders: 8},
		},
		Workload: "chain-five",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"sync_backing"},
		Floor:     300 * time.Millisecond,
		Twin:      "the last one holds its mutex briefly and sleeps without it",
		Decoys:    withDecoys(lastWaker("holds the mutex that most wait for, four steps from the one that sleeps")),
	}
}
