// SPDX-License-Identifier: Apache-2.0

package rca

// deadlocks finds the waits that will never end: open ones whose owners wait for
// each other in a circle. It returns for each whom it is for.
func deadlocks(ix *index) map[int32]threadNo {
	open := make(map[threadNo]int32)
	next := make(map[threadNo]threadNo)
	for i := range ix.waits {
		w := &ix.waits[i]
		if !w.open || w.within(ix.window).length() == 0 {
			continue
		}
		if owner, ok := ix.ownerThroughout(w); ok {
			open[w.thread], next[w.thread] = int32(i), owner
		}
	}
	stuck := make(map[int32]threadNo)
	for thread, i := range open {
		if inCircle(thread, next) {
			stuck[i] = next[thread]
		}
	}
	return stuck
}

func inCircle(start threadNo, next map[threadNo]threadNo) bool {
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
