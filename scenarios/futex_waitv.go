// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func futexWaitv() Scenario {
	return Scenario{
		Name:      "futex-waitv",
		Mechanism: "One thread sleeps while it holds a lock that the others wait for together with a second word, by futex_waitv; an innocent, which then takes it many times in a row, wakes nearly all who have waited.",
		Kinds:     []contention.Kind{contention.Futex},
		// futex_waitv is of Linux 5.16.
		Needs: Needs{Kernel: "5.16", CPUs: 2},
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 8},
			{Hold: 20 * time.Millisecond, Contenders: 8},
			{Hold: 50 * time.Millisecond, Contenders: 4},
		},
		Workload: "futex-waitv",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"present_frame"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the lock as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("takes the lock many times in a row as soon as it is free, and wakes another who has waited long each time")),
	}
}
