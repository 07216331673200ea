// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func chainCondMutex() Scenario {
	return Scenario{
		Name:      "chain-cond-mutex",
		Mechanism: "Threads wait on a condition variable for what another makes, which is held up by a mutex in which a third thread sleeps.",
		Kinds:     []contention.Kind{contention.CondVar, contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 40 * time.Millisecond, Contenders: 2},
			{Hold: 40 * time.Millisecond, Contenders: 8},
		},
		Workload: "chain-cond-mutex",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"compact_registry"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the mutex briefly and sleeps without it",
		Decoys:    withDecoys(lastWaker("wakes all who wait on the condition variable")),
	}
}
