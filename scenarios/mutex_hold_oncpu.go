// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func mutexHoldOnCPU() Scenario {
	return Scenario{
		Name:      "mutex-hold-oncpu",
		Mechanism: "One thread computes while it holds a mutex that the others need for microseconds.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 4},
			{Hold: 5 * time.Millisecond, Contenders: 4},
			{Hold: 20 * time.Millisecond, Contenders: 1},
			{Hold: 20 * time.Millisecond, Contenders: 8},
		},
		Workload: "mutex-hold-oncpu",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"rebuild_table"},
		Floor:     150 * time.Millisecond,
		Twin:      "computes as long without the mutex",
		Decoys:    withDecoys(lastWaker("passes the mutex on to the one that waited longest")),
	}
}
