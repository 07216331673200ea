// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func mutexHold() Scenario {
	return Scenario{
		Name:      "mutex-hold",
		Mechanism: "One thread sleeps while it holds a mutex that the others need for microseconds.",
		Smoke:     true,
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 50 * time.Millisecond, Contenders: 1},
			{Hold: 50 * time.Millisecond, Contenders: 8},
		},
		Workload: "mutex-hold",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"hold_sleeping"},
		Floor:     300 * time.Millisecond,
		Twin:      "sleeps as long without the mutex",
		Decoys:    withDecoys(lastWaker("passes the mutex on to the one that waited longest")),
	}
}
