// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func fileFlockHold() Scenario {
	return Scenario{
		Name:      "file-flock-hold",
		Mechanism: "One thread sleeps while it holds a file by flock, and the others pass it on to each other: nearly every wait is ended by an innocent.",
		Kinds:     []contention.Kind{contention.Flock},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 8},
			{Hold: 20 * time.Millisecond, Contenders: 8},
			{Hold: 50 * time.Millisecond, Contenders: 3},
		},
		Workload: "file-flock-hold",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"rotate_journal"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the file as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round")),
	}
}
