// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func chainMutexPipe() Scenario {
	return Scenario{
		Name:      "chain-mutex-pipe",
		Mechanism: "Threads queue up for a mutex whose holder reads a pipe, of which the writer computes each item for long.",
		Kinds:     []contention.Kind{contention.Mutex, contention.Pipe},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 4},
			{Hold: 5 * time.Millisecond, Contenders: 4},
			{Hold: 20 * time.Millisecond, Contenders: 8},
		},
		Workload: "chain-mutex-pipe",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowProducer,
		Culprits:  1,
		Functions: []string{"render_tile"},
		Floor:     300 * time.Millisecond,
		Twin:      "has something to write before it is asked, and computes once that is written",
		Decoys:    withDecoys(lastWaker("holds the mutex that most wait for while it reads")),
	}
}
