// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func chainRWLockSem() Scenario {
	return Scenario{
		Name:      "chain-rwlock-sem",
		Mechanism: "Readers of a rwlock wait for its writer, which waits for a semaphore of one permit; the thread that has the permit sleeps.",
		Kinds:     []contention.Kind{contention.RWLock, contention.Semaphore},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 40 * time.Millisecond, Contenders: 2},
			{Hold: 40 * time.Millisecond, Contenders: 8},
		},
		Workload: "chain-rwlock-sem",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"export_metrics"},
		Floor:     300 * time.Millisecond,
		Twin:      "has the permit briefly and sleeps without it",
		Decoys:    withDecoys(lastWaker("lets all readers go when it has got the permit")),
	}
}
