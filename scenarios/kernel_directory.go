// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func kernelDirectory() Scenario {
	return Scenario{
		Name:      "kernel-directory",
		Mechanism: "One thread lists a directory into memory that comes late, and so holds the directory's rwsem for reading; one that wants to write waits for it, and others that want to read wait behind that one.",
		Kinds:     []contention.Kind{contention.KernelRWSem},
		Needs:     pagedNeeds(),
		Doses: []contention.Dose{
			{Hold: 40 * time.Millisecond, Contenders: 6},
			{Hold: 10 * time.Millisecond, Contenders: 6},
			{Hold: 40 * time.Millisecond, Contenders: 2},
		},
		Workload: "kernel-directory",
		Duration: 1500 * time.Millisecond,

		Class:     contention.KernelLockHolder,
		Culprits:  1,
		Functions: []string{"scan_spool"},
		Floor:     300 * time.Millisecond,
		Twin:      "lists as fast as the others do, and waits for late memory without the rwsem",
		Decoys:    withDecoys(lastWaker("makes or removes a file, and wakes all who list after it"), pager()),
	}
}
