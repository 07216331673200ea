// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlSignalWaiters() Scenario {
	return Scenario{
		Name:      "control-signal-waiters",
		Mechanism: "Threads that sleep until they are sent a signal, which a thread that goes by its timer does to one after the other.",
		Control:   true,
		Kinds:     []contention.Kind{contention.Signal},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-signal-waiters",
		Duration:  1500 * time.Millisecond,
	}
}
