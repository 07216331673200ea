// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func deadlockSelf() Scenario {
	return Scenario{
		Name:      "deadlock-self",
		Mechanism: "A thread takes a mutex of the default kind that it holds already; others come by and wait with it, and the rest of the program goes on.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 2},
			{Hold: 10 * time.Millisecond, Contenders: 8},
		},
		Workload: "deadlock-self",
		Duration: 1500 * time.Millisecond,

		Class:     contention.Deadlock,
		Culprits:  1,
		Functions: []string{"notify_change", "save_settings"},
		Floor:     800 * time.Millisecond,
		Twin:      "lets the mutex go before it takes it again",
		Decoys:    withDecoys(lastWaker("of a busy mutex that has nothing to do with the circle, ends most waits that end at all")),
	}
}
