// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlCPUBound() Scenario {
	return Scenario{
		Name:      "control-cpu-bound",
		Mechanism: "One thread that computes without pause beside others that do a little now and then.",
		Control:   true,
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 3}},
		Workload:  "control-cpu-bound",
		Duration:  1500 * time.Millisecond,
	}
}
