// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlIdlePool() Scenario {
	return Scenario{
		Name:      "control-idle-pool",
		Mechanism: "Workers asleep on a condition variable, and a thread that hands one of them a little work when its timer says so.",
		Control:   true,
		Smoke:     true,
		Kinds:     []contention.Kind{contention.CondVar, contention.Mutex},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-idle-pool",
		Duration:  1500 * time.Millisecond,
	}
}
