// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlCondPool() Scenario {
	return Scenario{
		Name:      "control-cond-pool",
		Mechanism: "Workers asleep on a condition variable, until a thread that goes by its timer starts a frame for all of them at once.",
		Control:   true,
		Kinds:     []contention.Kind{contention.CondVar, contention.Mutex},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-cond-pool",
		Duration:  1500 * time.Millisecond,
	}
}
