// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func futexRequeue() Scenario {
	return Scenario{
		Name:      "futex-requeue",
		Mechanism: "Threads that wait for an event are moved to the queue of a lock in their sleep; one of them keeps the lock while it sleeps, and an innocent then takes it many times in a row.",
		Kinds:     []contention.Kind{contention.Futex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 6},
			{Hold: 20 * time.Millisecond, Contenders: 6},
			{Hold: 50 * time.Millisecond, Contenders: 3},
		},
		Workload: "futex-requeue",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"publish_epoch"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the lock as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("one calls all at once, the other wakes one after the other who have waited long for the lock")),
	}
}
