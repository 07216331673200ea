// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func noisePipe() Scenario {
	return Scenario{
		Name:      "noise-pipe",
		Mechanism: "Four stages over three pipes, of which the second computes each item for long, amid thirty threads with mutexes, pipes and timers of their own.",
		Kinds:     []contention.Kind{contention.Pipe, contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 1},
			{Hold: 5 * time.Millisecond, Contenders: 1},
		},
		Workload: "noise-pipe",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowProducer,
		Culprits:  1,
		Functions: []string{"parse_record"},
		Floor:     200 * time.Millisecond,
		Twin:      "has each item ready and computes once it is passed on",
		Decoys:    withDecoys(lastWaker("the third stage, which alone ever wakes the last")),
	}
}
