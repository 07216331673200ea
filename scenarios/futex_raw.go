// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func futexRaw() Scenario {
	return Scenario{
		Name:      "futex-raw",
		Mechanism: "One thread sleeps while it holds a lock made of one word and the futex system call, with no owner to be read anywhere.",
		Smoke:     true,
		Kinds:     []contention.Kind{contention.Futex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 40 * time.Millisecond, Contenders: 2},
			{Hold: 40 * time.Millisecond, Contenders: 8},
		},
		Workload: "futex-raw",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"drain_ring"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the lock as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round")),
	}
}
