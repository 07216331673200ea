// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func pipeSlowWriter() Scenario {
	return Scenario{
		Name:      "pipe-slow-writer",
		Mechanism: "A reader waits for a writer that computes each item for long.",
		Smoke:     true,
		Kinds:     []contention.Kind{contention.Pipe},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 1},
			{Hold: 5 * time.Millisecond, Contenders: 1},
			{Hold: 2 * time.Millisecond, Contenders: 1},
		},
		Workload: "pipe-slow-writer",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowProducer,
		Culprits:  1,
		Functions: []string{"compress_block"},
		Floor:     100 * time.Millisecond,
		Twin:      "sleeps until it has something to write, and computes once that is written",
		Decoys:    withDecoys(),
	}
}
