// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func deadlockKernelLock() Scenario {
	return Scenario{
		Name:      "deadlock-kernel-lock",
		Mechanism: "One thread holds a mutex and waits for the lock of a file, another has that lock and waits for the mutex; others come by and wait with them.",
		Kinds:     []contention.Kind{contention.Mutex, contention.Flock},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 10 * time.Millisecond, Contenders: 4},
			{Hold: 10 * time.Millisecond, Contenders: 2},
			{Hold: 10 * time.Millisecond, Contenders: 8},
		},
		Workload: "deadlock-kernel-lock",
		Duration: 1500 * time.Millisecond,

		Class:     contention.Deadlock,
		Culprits:  2,
		Functions: []string{"import_rows", "export_rows"},
		Floor:     800 * time.Millisecond,
		Twin:      "both take the mutex first, always",
		Decoys:    withDecoys(lastWaker("of a busy mutex that has nothing to do with the circle, ends most waits that end at all")),
	}
}
