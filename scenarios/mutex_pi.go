// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func mutexPI() Scenario {
	return Scenario{
		Name:      "mutex-pi",
		Mechanism: "One thread sleeps while it holds a mutex that inherits priority, which the kernel then hands from each of the others to the next.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 6},
			{Hold: 20 * time.Millisecond, Contenders: 6},
			{Hold: 50 * time.Millisecond, Contenders: 4},
		},
		Workload: "mutex-pi",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"resample_channel"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the mutex as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round")),
	}
}
