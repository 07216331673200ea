// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func mutexTwoCulprits() Scenario {
	return Scenario{
		Name:      "mutex-two-culprits",
		Mechanism: "Two threads sleep while they hold a mutex, one after the other; of the waiting, 70 % is due to the first and 30 % to the second.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 4},
			{Hold: 20 * time.Millisecond, Contenders: 4},
			{Hold: 50 * time.Millisecond, Contenders: 8},
		},
		Workload: "mutex-two-culprits",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  2,
		Ordered:   true,
		Functions: []string{"write_snapshot", "trim_journal"},
		Floor:     200 * time.Millisecond,
		Twin:      "both hold the mutex as long as the others do and sleep without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round")),
	}
}
