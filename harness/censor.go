// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"slices"

	"github.com/os2026/ebpf-rca/contention"
)

// censor takes out of a trace what happened after its window. A workload ends its
// threads when the window is over, which lets go whoever waits by then: a deadlock
// would look like waits that somebody ended. Whoever watches a program that goes on
// knows of them only that they have not ended.
func censor(t *contention.Trace) {
	if t == nil {
		return
	}
	end := t.Window.End
	passedOn := make(map[contention.Resource]bool)
	for i := range t.Waits {
		if w := &t.Waits[i]; w.Woken > end {
			passedOn[w.Resource] = true
		}
	}
	waits := t.Waits[:0]
	for _, w := range t.Waits {
		if w.Begin >= end {
			continue
		}
		if w.Woken > end {
			w = unended(w)
		}
		if passedOn[w.Resource] { // so its owner is another by the time that was read
			w.Late &^= contention.OwnerRead | contention.OwnerGone
		}
		waits = append(waits, w)
	}
	t.Waits = waits
	preemptions := t.Preemptions[:0]
	for _, p := range t.Preemptions {
		if p.Begin < end {
			preemptions = append(preemptions, p)
		}
	}
	t.Preemptions = preemptions
	t.Exits = slices.DeleteFunc(t.Exits, func(x contention.Exit) bool { return x.At >= end })
}

// unended is a wait as it was known before anybody ended it.
func unended(w contention.Wait) contention.Wait {
	w.Woken, w.Ran = 0, 0
	w.Waker, w.Occupant, w.Occupied = contention.Waker{}, contention.ThreadID{}, 0
	return w
}
