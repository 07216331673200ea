// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func socketSlowReceiver() Scenario {
	return Scenario{
		Name:      "socket-slow-receiver",
		Mechanism: "A router waits for room in the socket of a receiver that computes for long before it takes each message, and others wait for the room that the router makes.",
		Kinds:     []contention.Kind{contention.Socket},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 12 * time.Millisecond, Contenders: 6},
			{Hold: 3 * time.Millisecond, Contenders: 3},
			{Hold: 20 * time.Millisecond, Contenders: 1},
		},
		Workload: "socket-slow-receiver",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowConsumer,
		Culprits:  1,
		Functions: []string{"encode_tile"},
		Floor:     200 * time.Millisecond,
		Twin:      "sleeps until it wants the messages, and computes once it has them",
		Decoys:    withDecoys(lastWaker("the router, which alone ever wakes those that send to it")),
	}
}
