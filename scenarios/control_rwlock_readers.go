// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlRWLockReaders() Scenario {
	return Scenario{
		Name:      "control-rwlock-readers",
		Mechanism: "Readers that hold a rwlock side by side, and a writer that now and then waits for them a little.",
		Control:   true,
		Kinds:     []contention.Kind{contention.RWLock},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 4}},
		Workload:  "control-rwlock-readers",
		Duration:  1500 * time.Millisecond,
	}
}
