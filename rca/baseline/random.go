// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"math/rand/v2"
	"slices"

	"github.com/os2026/ebpf-rca/contention"
)

// Random returns an analysis that guesses among the threads the trace tells of. The
// same seed gives the same guess of the same trace, and another one of a trace of
// another time.
func Random(seed uint64) func(*contention.Trace) contention.Analysis {
	return func(t *contention.Trace) contention.Analysis {
		random := rand.New(rand.NewPCG(seed, uint64(t.Window.Begin)))
		observed := t.Observed()
		var ids []contention.ThreadID
		for _, thread := range t.Threads {
			if observed[thread.PID] {
				ids = append(ids, thread.ID())
			}
		}
		slices.SortFunc(ids, contention.ThreadID.Compare)
		weight := make(map[contention.ThreadID]float64)
		for _, id := range slices.Compact(ids) {
			weight[id] = random.Float64()
		}
		return newPeriod(t).share(weight)
	}
}
