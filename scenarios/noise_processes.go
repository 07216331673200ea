// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func noiseProcesses() Scenario {
	return Scenario{
		Name:      "noise-processes",
		Mechanism: "One thread sleeps while it holds a mutex, and threads of other processes do the same with mutexes at the same address.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 4},
			{Hold: 20 * time.Millisecond, Contenders: 4},
			{Hold: 50 * time.Millisecond, Contenders: 8},
		},
		Workload: "noise-processes",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"purge_tickets"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the mutex as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round, or all of the waits of its clients")),
	}
}
