// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlJoinIdle() Scenario {
	return Scenario{
		Name:      "control-join-idle",
		Mechanism: "Threads that wait for the end of others, which sleep of their own accord.",
		Control:   true,
		Kinds:     []contention.Kind{contention.Join},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-join-idle",
		Duration:  1500 * time.Millisecond,
	}
}
