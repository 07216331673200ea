// SPDX-License-Identifier: Apache-2.0

package rca

import "github.com/os2026/ebpf-rca/contention"

// deadlocks finds the waits that will never end: open ones whose owners wait for
// each other in a circle. It returns for each whom it is for.
func deadlocks(ix *index) map[int]contention.ThreadID {
	open := make(map[contention.ThreadID]int)
	next := make(map[contention.ThreadID]contention.ThreadID)
	for i, w := range ix.trace.Waits {
		if !w.Open() {
			continue
		}
		if owner, ok := ix.ownerOf(w); ok && len(ix.after(w.Resource, w.Begin)) == 0 {
			open[w.Thread], next[w.Thread] = i, owner
		}
	}
	stuck := make(map[int]contention.ThreadID)
	for thread, wait := range open {
		if inCircle(thread, next) {
			stuck[wait] = next[thread]
		}
	}
	return stuck
}

func inCircle(start contention.ThreadID, next map[contention.ThreadID]contention.ThreadID) bool {
	at := start
	for range next {
		to, ok := next[at]
		if !ok {
			return false
		}
		if to == start {
			return true
		}
		at = to
	}
	return false
}
