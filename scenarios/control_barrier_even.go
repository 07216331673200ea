// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlBarrierEven() Scenario {
	return Scenario{
		Name:      "control-barrier-even",
		Mechanism: "Threads that meet at a barrier, of which in each round another has the most to do.",
		Control:   true,
		Kinds:     []contention.Kind{contention.Barrier},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-barrier-even",
		Duration:  1500 * time.Millisecond,
	}
}
