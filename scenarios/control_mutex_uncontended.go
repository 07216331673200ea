// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlMutexUncontended() Scenario {
	return Scenario{
		Name:      "control-mutex-uncontended",
		Mechanism: "Threads that lock and unlock 200,000 times a second in all, each nearly always a mutex of its own.",
		Control:   true,
		Kinds:     []contention.Kind{contention.Mutex},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-mutex-uncontended",
		Duration:  1500 * time.Millisecond,
	}
}
