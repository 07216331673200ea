// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func condBroadcastLock() Scenario {
	return Scenario{
		Name:      "cond-broadcast-lock",
		Mechanism: "All who wait on a condition variable are woken and contend for its mutex, which one of them keeps while it sleeps, and which an innocent then takes many times in a row.",
		Kinds:     []contention.Kind{contention.Mutex, contention.CondVar},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 6},
			{Hold: 20 * time.Millisecond, Contenders: 6},
			{Hold: 50 * time.Millisecond, Contenders: 3},
		},
		Workload: "cond-broadcast-lock",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"reload_rules"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the mutex as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("one wakes all from the condition variable, the other wakes one after the other who have waited long for the mutex")),
	}
}
