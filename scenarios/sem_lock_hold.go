// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func semLockHold() Scenario {
	return Scenario{
		Name:      "sem-lock-hold",
		Mechanism: "One thread sleeps while it holds a semaphore that serves as a lock, and an innocent, which then takes it many times in a row, wakes nearly all who have waited.",
		Kinds:     []contention.Kind{contention.Semaphore},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 8},
			{Hold: 20 * time.Millisecond, Contenders: 8},
			{Hold: 50 * time.Millisecond, Contenders: 4},
		},
		Workload: "sem-lock-hold",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"calibrate_device"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the semaphore as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("takes the semaphore many times in a row as soon as it is free, and wakes another who has waited long each time")),
	}
}
