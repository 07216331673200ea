// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func futexLostWakeup() Scenario {
	return Scenario{
		Name:      "futex-lost-wakeup",
		Mechanism: "A thread sets a word that others sleep for and wakes nobody, because it looked for sleepers before it set the word; they sleep on.",
		Kinds:     []contention.Kind{contention.Futex, contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 30 * time.Millisecond, Contenders: 4},
			{Hold: 30 * time.Millisecond, Contenders: 2},
			{Hold: 30 * time.Millisecond, Contenders: 8},
		},
		Workload: "futex-lost-wakeup",
		Duration: 1500 * time.Millisecond,

		Class:    contention.LostWakeup,
		Culprits: 1,
		Unnamed:  true, // who writes to memory is not to be seen
		Floor:    800 * time.Millisecond,
		Twin:     "looks for sleepers when it has set the word",
		Decoys:   withDecoys(lastWaker("of a busy mutex that has nothing to do with it, ends most waits that end at all")),
	}
}
