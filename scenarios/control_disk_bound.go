// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlDiskBound() Scenario {
	return Scenario{
		Name:      "control-disk-bound",
		Mechanism: "Threads that each write a file of their own through to the disk, or read it past the page cache.",
		Control:   true,
		Kinds:     []contention.Kind{contention.Disk},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-disk-bound",
		Duration:  1500 * time.Millisecond,
	}
}
