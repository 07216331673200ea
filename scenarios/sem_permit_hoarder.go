// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func semPermitHoarder() Scenario {
	return Scenario{
		Name:      "sem-permit-hoarder",
		Mechanism: "Of two permits one thread keeps one for long, and the others, who take turns with the other one, end all waits.",
		Kinds:     []contention.Kind{contention.Semaphore},
		Needs:     plainNeeds(),
		Doses: []contention.Dose{
			{Hold: 50 * time.Millisecond, Contenders: 6},
			{Hold: 20 * time.Millisecond, Contenders: 6},
			{Hold: 50 * time.Millisecond, Contenders: 4},
		},
		Workload: "sem-permit-hoarder",
		Duration: 1500 * time.Millisecond,

		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"export_report"},
		Floor:     300 * time.Millisecond,
		Twin:      "keeps its permit as long as the others do and sleeps without it",
		Decoys:    withDecoys(lastWaker("takes turns with the one permit that is left, so that each wait is ended by one like it")),
	}
}
