// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func mutexPShared() Scenario {
	return Scenario{
		Name:      "mutex-pshared",
		Mechanism: "One thread sleeps while it holds a mutex that two processes share, and an innocent, which then takes it many times in a row, wakes nearly all who have waited.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 8},
			{Hold: 20 * time.Millisecond, Contenders: 8},
			{Hold: 50 * time.Millisecond, Contenders: 4},
		},
		Workload: "mutex-pshared",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"compact_blocks"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the mutex as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("takes the mutex many times in a row as soon as it is free, and wakes another who has waited long each time")),
	}
}
