// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlTimerLoop() Scenario {
	return Scenario{
		Name:      "control-timer-loop",
		Mechanism: "Threads that wake up by the clock, each by another system call.",
		Control:   true,
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-timer-loop",
		Duration:  1500 * time.Millisecond,
	}
}
