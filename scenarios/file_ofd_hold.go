// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func fileOFDHold() Scenario {
	return Scenario{
		Name:      "file-ofd-hold",
		Mechanism: "One thread sleeps while it holds a record of a file, locked by open file description, and others lock and unlock another record of the same file.",
		Kinds:     []contention.Kind{contention.PosixLock},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 8},
			{Hold: 20 * time.Millisecond, Contenders: 8},
			{Hold: 40 * time.Millisecond, Contenders: 3},
		},
		Workload: "file-ofd-hold",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"migrate_record"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the record as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round")),
	}
}
