// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func chainProcesses() Scenario {
	return Scenario{
		Name:      "chain-processes",
		Mechanism: "Readers at pipes wait for one thread that serves them all, which needs a mutex in memory that two processes share, and in that mutex another thread sleeps.",
		Kinds:     []contention.Kind{contention.Mutex, contention.Pipe},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 40 * time.Millisecond, Contenders: 2},
			{Hold: 40 * time.Millisecond, Contenders: 8},
		},
		Workload: "chain-processes",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"reindex_segment"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the mutex briefly and sleeps without it",
		Decoys:    withDecoys(lastWaker("alone ever wakes the readers")),
	}
}
