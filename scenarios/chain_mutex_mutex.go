// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func chainMutexMutex() Scenario {
	return Scenario{
		Name:      "chain-mutex-mutex",
		Mechanism: "Threads queue up for a mutex whose holder waits for a second one, in which another thread sleeps.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 40 * time.Millisecond, Contenders: 2},
			{Hold: 40 * time.Millisecond, Contenders: 8},
		},
		Workload: "chain-mutex-mutex",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"rotate_segment"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the second mutex briefly and sleeps without it",
		Decoys:    withDecoys(lastWaker("holds the mutex that most wait for, and hands it on only when it has got the other")),
	}
}
