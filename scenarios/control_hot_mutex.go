// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlHotMutex() Scenario {
	return Scenario{
		Name:      "control-hot-mutex",
		Mechanism: "Threads that all want one mutex nearly all the time and hold it alike.",
		Control:   true,
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-hot-mutex",
		Duration:  1500 * time.Millisecond,
	}
}
