// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func socketSlowSender() Scenario {
	return Scenario{
		Name:      "socket-slow-sender",
		Mechanism: "A thread computes each message for long, and a hub that waits for it passes a copy to each of those that wait for the hub.",
		Kinds:     []contention.Kind{contention.Socket},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 6},
			{Hold: 5 * time.Millisecond, Contenders: 3},
			{Hold: 20 * time.Millisecond, Contenders: 1},
		},
		Workload: "socket-slow-sender",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowProducer,
		Culprits:  1,
		Functions: []string{"price_options"},
		Floor:     200 * time.Millisecond,
		Twin:      "sleeps until it has something to send, and computes once that is sent",
		Decoys:    withDecoys(lastWaker("the hub, which alone ever wakes those it serves")),
	}
}
