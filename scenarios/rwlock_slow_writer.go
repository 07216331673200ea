// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func rwlockSlowWriter() Scenario {
	return Scenario{
		Name:      "rwlock-slow-writer",
		Mechanism: "One thread sleeps while it writes; a second writer comes next, and wakes all who have waited to read.",
		Kinds:     []contention.Kind{contention.RWLock},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 6},
			{Hold: 20 * time.Millisecond, Contenders: 6},
			{Hold: 50 * time.Millisecond, Contenders: 2},
		},
		Workload: "rwlock-slow-writer",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"rebuild_routes"},
		Floor:     300 * time.Millisecond,
		Twin:      "writes as briefly as the other does and sleeps without the lock",
		Decoys:    withDecoys(lastWaker("the second writer, which wakes all who want to read once it has written")),
	}
}
