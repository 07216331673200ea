// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func deadlockHolderGone() Scenario {
	return Scenario{
		Name:      "deadlock-holder-gone",
		Mechanism: "A thread ends without letting go of a mutex, for which others wait from then on; the rest of the program goes on.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 2},
			{Hold: 10 * time.Millisecond, Contenders: 8},
		},
		Workload: "deadlock-holder-gone",
		Duration: 1500 * time.Millisecond,

		Class:    contention.LockHolder,
		Culprits: 1,
		Unnamed:  true,
		Floor:    800 * time.Millisecond,
		Twin:     "lets the mutex go before it ends",
		Decoys:   withDecoys(lastWaker("of a busy mutex that has nothing to do with it, ends most waits that end at all")),
	}
}
