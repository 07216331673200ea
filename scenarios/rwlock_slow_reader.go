// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func rwlockSlowReader() Scenario {
	return Scenario{
		Name:      "rwlock-slow-reader",
		Mechanism: "One thread sleeps while it reads; a writer waits for it, and behind the writer wait those who come to read.",
		Kinds:     []contention.Kind{contention.RWLock},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 6},
			{Hold: 20 * time.Millisecond, Contenders: 6},
			{Hold: 50 * time.Millisecond, Contenders: 2},
		},
		Workload: "rwlock-slow-reader",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"dump_routes"},
		Floor:     300 * time.Millisecond,
		Twin:      "reads as briefly as the others do and sleeps without the lock",
		Decoys:    withDecoys(lastWaker("the writer, for which all who come to read wait as well")),
	}
}
