// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlEventFDIdle() Scenario {
	return Scenario{
		Name:      "control-eventfd-idle",
		Mechanism: "Workers idle on an eventfd, which a thread that goes by its timer counts up.",
		Control:   true,
		Kinds:     []contention.Kind{contention.EventFD},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-eventfd-idle",
		Duration:  1500 * time.Millisecond,
	}
}
