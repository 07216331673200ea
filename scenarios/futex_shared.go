// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func futexShared() Scenario {
	return Scenario{
		Name:      "futex-shared",
		Mechanism: "One thread sleeps while it holds a mutex in memory that two processes share, each at an address of its own.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 40 * time.Millisecond, Contenders: 2},
			{Hold: 40 * time.Millisecond, Contenders: 8},
		},
		Workload: "futex-shared",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"merge_index"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the mutex as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round")),
	}
}
