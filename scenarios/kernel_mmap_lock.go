// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func kernelMmapLock() Scenario {
	return Scenario{
		Name:      "kernel-mmap-lock",
		Mechanism: "One thread changes the protection of tens of thousands of mappings in one call, which holds mmap_lock for writing, while others map memory and pass the lock on to each other.",
		Kinds:     []contention.Kind{contention.KernelRWSem},
		Needs:     kernelLockNeeds(),
		Doses: []contention.Dose{
			{Hold: 20 * time.Millisecond, Contenders: 6},
			{Hold: 8 * time.Millisecond, Contenders: 6},
			{Hold: 20 * time.Millisecond, Contenders: 2},
		},
		Workload: "kernel-mmap-lock",
		Duration: 1500 * time.Millisecond,

		Class:     contention.KernelLockHolder,
		Culprits:  1,
		Functions: []string{"seal_arena"},
		Floor:     200 * time.Millisecond,
		Twin:      "changes a few mappings, and computes without the lock",
		Decoys:    withDecoys(lastWaker("maps memory first of all, and lets the next in the queue go")),
	}
}
