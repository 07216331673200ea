// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func barrierJoinLate() Scenario {
	return Scenario{
		Name:      "barrier-join-late",
		Mechanism: "A thread joins those that build the parts of what others wait for, and hands it on to them; one builder has long to compute when the rest have ended.",
		Kinds:     []contention.Kind{contention.Join, contention.Semaphore},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 20 * time.Millisecond, Contenders: 2},
		},
		Workload: "barrier-join-late",
		Duration: 1500 * time.Millisecond,

		Class:     contention.SlowProducer,
		Culprits:  1,
		Functions: []string{"link_objects"},
		Floor:     200 * time.Millisecond,
		Twin:      "computes as much before anybody waits for its end",
		Decoys:    withDecoys(lastWaker("joins the builders, and alone wakes all who wait for what they build")),
	}
}
