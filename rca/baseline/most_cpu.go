// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// MostCPU takes whoever runs the most for the cause, as who looks at top does. It
// counts samples; in a trace without any it takes for running what is neither
// waiting nor wanting a CPU.
func MostCPU(t *contention.Trace) contention.Analysis {
	ran := make(map[contention.ThreadID]float64)
	for _, s := range t.Samples {
		if inside(t.Window, s.At) {
			ran[s.Thread]++
		}
	}
	if len(ran) == 0 {
		ran = remainder(t)
	}
	return newPeriod(t).share(ran)
}

// remainder is what is left of the window of each thread that the trace tells of.
func remainder(t *contention.Trace) map[contention.ThreadID]float64 {
	left := make(map[contention.ThreadID]float64)
	observed := t.Observed()
	for _, thread := range t.Threads {
		if observed[thread.PID] {
			left[thread.ID()] = float64(t.Window.Length())
		}
	}
	take := func(id contention.ThreadID, from, to time.Duration) {
		if rest, ok := left[id]; ok {
			left[id] = max(0, rest-float64(clip(t.Window, from, to)))
		}
	}
	for i := range t.Waits {
		w := &t.Waits[i]
		take(w.Thread, w.Begin, max(end(t.Window, w), w.Ran))
	}
	for _, p := range t.Preemptions {
		take(p.Thread, p.Begin, p.Ran)
	}
	return left
}
