// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func kernelInodeRWSem() Scenario {
	return Scenario{
		Name:      "kernel-inode-rwsem",
		Mechanism: "One thread writes to a file from memory that comes late, and so stops in the kernel with the inode's rwsem held; others write to the same file and pass the rwsem on to each other.",
		Kinds:     []contention.Kind{contention.KernelRWSem},
		Needs:     pagedNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 8},
			{Hold: 20 * time.Millisecond, Contenders: 8},
			{Hold: 50 * time.Millisecond, Contenders: 3},
		},
		Workload: "kernel-inode-rwsem",
		Duration: 1500 * time.Millisecond,

		Class:     contention.KernelLockHolder,
		Culprits:  1,
		Functions: []string{"store_snapshot"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the rwsem as long as the others do, and waits for late memory without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round"), pager()),
	}
}
