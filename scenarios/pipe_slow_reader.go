// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func pipeSlowReader() Scenario {
	return Scenario{
		Name:      "pipe-slow-reader",
		Mechanism: "A writer waits for room in a full pipe whose reader computes for long before it takes each item.",
		Kinds:     []contention.Kind{contention.Pipe},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 1},
			{Hold: 5 * time.Millisecond, Contenders: 1},
			{Hold: 2 * time.Millisecond, Contenders: 1},
		},
		Workload: "pipe-slow-reader",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowConsumer,
		Culprits:  1,
		Functions: []string{"render_frame"},
		Floor:     100 * time.Millisecond,
		Twin:      "sleeps until it wants the next item, and computes once it has that",
		Decoys:    withDecoys(),
	}
}
