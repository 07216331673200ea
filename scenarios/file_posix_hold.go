// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func filePosixHold() Scenario {
	return Scenario{
		Name:      "file-posix-hold",
		Mechanism: "Processes want one record lock of fcntl, which belongs to a process: one keeps it, at work and asleep, and each of the others wakes the next.",
		Kinds:     []contention.Kind{contention.PosixLock},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 8},
			{Hold: 20 * time.Millisecond, Contenders: 8},
			{Hold: 50 * time.Millisecond, Contenders: 3},
		},
		Workload: "file-posix-hold",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"compact_table"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the lock as long as the others do, and works and sleeps without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round")),
	}
}
