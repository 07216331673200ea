// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func socketRelay() Scenario {
	return Scenario{
		Name:      "socket-relay",
		Mechanism: "Clients wait for the answers of a relay, which waits for a backend that computes each of them for long.",
		Kinds:     []contention.Kind{contention.Socket},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 10 * time.Millisecond, Contenders: 6},
			{Hold: 3 * time.Millisecond, Contenders: 3},
			{Hold: 20 * time.Millisecond, Contenders: 1},
		},
		Workload: "socket-relay",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowProducer,
		Culprits:  1,
		Functions: []string{"evaluate_query"},
		Floor:     200 * time.Millisecond,
		Twin:      "sleeps until it has the answers, and computes once they are given",
		Decoys:    withDecoys(lastWaker("the relay, which alone ever wakes the clients")),
	}
}
