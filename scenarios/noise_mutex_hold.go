// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func noiseMutexHold() Scenario {
	return Scenario{
		Name:      "noise-mutex-hold",
		Mechanism: "One thread sleeps while it holds a mutex, amid thirty threads with mutexes, pipes and timers of their own; clients wait for a server that needs it.",
		Kinds:     []contention.Kind{contention.Mutex, contention.Pipe},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 4},
			{Hold: 20 * time.Millisecond, Contenders: 4},
			{Hold: 50 * time.Millisecond, Contenders: 8},
		},
		Workload: "noise-mutex-hold",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"expire_sessions"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the mutex as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round, or all of the waits of its clients")),
	}
}
