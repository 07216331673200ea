// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func mutexConvoy() Scenario {
	return Scenario{
		Name:      "mutex-convoy",
		Mechanism: "One thread sleeps while it holds a mutex, and the others, which hold it a millisecond or two each, pass it on to each other: nearly every wait is ended by an innocent.",
		Smoke:     true,
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			// With fewer, the waits that the culprit itself ends cost about as much as
			// those that any innocent ends, and who comes first by it is left to chance.
			{Hold: 50 * time.Millisecond, Contenders: 8},
			{Hold: 20 * time.Millisecond, Contenders: 8},
			{Hold: 50 * time.Millisecond, Contenders: 2},
			{Hold: 50 * time.Millisecond, Contenders: 4},
		},
		Workload: "mutex-convoy",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"flush_queue"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the mutex as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round")),
	}
}
