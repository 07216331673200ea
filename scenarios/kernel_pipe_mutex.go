// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func kernelPipeMutex() Scenario {
	return Scenario{
		Name:      "kernel-pipe-mutex",
		Mechanism: "One thread writes to a pipe from memory that comes late, and so stops in the kernel with the pipe's mutex held; others write to the same pipe and pass the mutex on to each other.",
		Kinds:     []contention.Kind{contention.KernelMutex},
		Needs:     pagedNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 8},
			{Hold: 20 * time.Millisecond, Contenders: 8},
			{Hold: 50 * time.Millisecond, Contenders: 3},
		},
		Workload: "kernel-pipe-mutex",
		Duration: 1500 * time.Millisecond,

		Class:     contention.KernelLockHolder,
		Culprits:  1,
		Functions: []string{"log_report"},
		Floor:     300 * time.Millisecond,
		Twin:      "holds the mutex as long as the others do, and waits for late memory without it",
		Decoys:    withDecoys(lastWaker("ends the longest wait of every round"), pager()),
	}
}
