// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlPipeBalanced() Scenario {
	return Scenario{
		Name:      "control-pipe-balanced",
		Mechanism: "Two threads that pass a token to and fro: each waits for the other about half of the time.",
		Control:   true,
		Smoke:     true,
		Kinds:     []contention.Kind{contention.Pipe},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 1}},
		Workload:  "control-pipe-balanced",
		Duration:  1500 * time.Millisecond,
	}
}
