// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// LastWaker charges each wait whole to the thread that ended it, as off-CPU
// profilers with waker stacks do. A wait that no thread ended is external.
func LastWaker(t *contention.Trace) contention.Analysis {
	blame := make(map[contention.ThreadID]time.Duration)
	var sum time.Duration
	p := newPeriod(t)
	for i := range p.waits {
		if w := &p.waits[i]; w.byThread {
			blame[w.Waker.Thread] += w.length
			sum += w.length
		}
	}
	return p.accuse(blame, sum, true)
}
