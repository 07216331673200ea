// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func pipeChain() Scenario {
	return Scenario{
		Name:      "pipe-chain",
		Mechanism: "Three stages over two pipes: the first computes each item for long, and the last waits for it by way of the second.",
		Kinds:     []contention.Kind{contention.Pipe},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 1},
			{Hold: 5 * time.Millisecond, Contenders: 1},
		},
		Workload: "pipe-chain",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowProducer,
		Culprits:  1,
		Functions: []string{"decode_segment"},
		Floor:     200 * time.Millisecond,
		Twin:      "sleeps until it has something to pass on, and computes once that is written",
		Decoys:    withDecoys(lastWaker("the second stage, which alone ever wakes the third")),
	}
}
