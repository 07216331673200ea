// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlSpinner() Scenario {
	return Scenario{
		Name:      "control-spinner",
		Mechanism: "A thread that waits without sleeping, beside threads that share a spin lock for an instant each.",
		Control:   true,
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 3}},
		Workload:  "control-spinner",
		Duration:  1500 * time.Millisecond,
	}
}
