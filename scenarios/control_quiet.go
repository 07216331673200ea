// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlQuiet() Scenario {
	return Scenario{
		Name:      "control-quiet",
		Mechanism: "Threads that do next to nothing, each now and then under a mutex.",
		Control:   true,
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-quiet",
		Duration:  1500 * time.Millisecond,
	}
}
