// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// MostWakeups takes whoever wakes others the most often for the cause.
func MostWakeups(t *contention.Trace) contention.Analysis {
	woke := make(map[contention.ThreadID]float64)
	for i := range t.Waits {
		w := &t.Waits[i]
		if w.Waker.Kind == contention.WokenByThread && inside(t.Window, w.Woken) {
			woke[w.Waker.Thread]++
		}
	}
	return newPeriod(t).share(woke)
}

func inside(w contention.Window, at time.Duration) bool { return at >= w.Begin && at < w.End }
