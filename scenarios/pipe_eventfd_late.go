// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func pipeEventFDLate() Scenario {
	return Scenario{
		Name:      "pipe-eventfd-late",
		Mechanism: "A thread computes for long before it counts an eventfd up, and a second one that waits for it then lets all workers go by another.",
		Kinds:     []contention.Kind{contention.EventFD},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 6},
			{Hold: 5 * time.Millisecond, Contenders: 3},
			{Hold: 20 * time.Millisecond, Contenders: 1},
		},
		Workload: "pipe-eventfd-late",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowProducer,
		Culprits:  1,
		Functions: []string{"assemble_batch"},
		Floor:     200 * time.Millisecond,
		Twin:      "sleeps until its time has come, and computes once the eventfd is counted up",
		Decoys:    withDecoys(lastWaker("the second, which alone ever wakes the workers")),
	}
}
