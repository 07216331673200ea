// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func condSlowProducer() Scenario {
	return Scenario{
		Name:      "cond-slow-producer",
		Mechanism: "Consumers wait on a condition variable for a relay, which waits on another for a producer that computes each item for long.",
		Kinds:     []contention.Kind{contention.CondVar, contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 4},
			{Hold: 5 * time.Millisecond, Contenders: 4},
			{Hold: 20 * time.Millisecond, Contenders: 2},
		},
		Workload: "cond-slow-producer",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowProducer,
		Culprits:  1,
		Functions: []string{"encode_frame"},
		Floor:     200 * time.Millisecond,
		Twin:      "sleeps until it has something to pass on, and computes once that is passed on",
		Decoys:    withDecoys(lastWaker("the relay, which alone ever wakes the consumers")),
	}
}
