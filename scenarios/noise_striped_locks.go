// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func noiseStripedLocks() Scenario {
	return Scenario{
		Name:      "noise-striped-locks",
		Mechanism: "One thread goes through sixteen mutexes of a table and sleeps in each; no one of them costs much, all together do.",
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 30 * time.Millisecond, Contenders: 4},
			{Hold: 15 * time.Millisecond, Contenders: 4},
			{Hold: 30 * time.Millisecond, Contenders: 8},
		},
		Workload: "noise-striped-locks",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"resize_stripe"},
		Floor:     300 * time.Millisecond,
		Twin:      "sleeps between the mutexes, not in them",
		Decoys:    withDecoys(),
	}
}
