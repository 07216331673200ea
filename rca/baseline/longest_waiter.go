// SPDX-License-Identifier: Apache-2.0

package baseline

import "github.com/os2026/ebpf-rca/contention"

// LongestWaiter takes whoever waits the most for the cause of it, as who reads an
// off-CPU profile from the top does.
func LongestWaiter(t *contention.Trace) contention.Analysis {
	p := newPeriod(t)
	waited := make(map[contention.ThreadID]float64)
	for i := range p.waits {
		if w := &p.waits[i]; !w.Open() {
			waited[w.Thread] += float64(w.length)
		}
	}
	return p.share(waited)
}
