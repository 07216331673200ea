// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlSocketBalanced() Scenario {
	return Scenario{
		Name:      "control-socket-balanced",
		Mechanism: "Two threads that ask and answer over local sockets: each waits for the other alike.",
		Control:   true,
		Kinds:     []contention.Kind{contention.Socket},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 1}},
		Workload:  "control-socket-balanced",
		Duration:  1500 * time.Millisecond,
	}
}
