// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlSleepers() Scenario {
	return Scenario{
		Name:      "control-sleepers",
		Mechanism: "Threads that sleep of their own accord, each twice as long as the one before.",
		Control:   true,
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 8}},
		Workload:  "control-sleepers",
		Duration:  1500 * time.Millisecond,
	}
}
