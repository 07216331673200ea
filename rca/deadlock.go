// SPDX-License-Identifier: Apache-2.0

package rca

import "github.com/os2026/ebpf-rca/contention"

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
		owner, ok := ix.ownerThroughout(w)
		if !ok {
			owner, ok = ix.waitsForItself(w)
		}
		if ok {
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

// waitsForItself reports whether a thread asks for what it has. A kernel lock may be
// handed to it before it runs, so of these it cannot be told.
func (ix *index) waitsForItself(w *wait) (threadNo, bool) {
	owner, known := ix.ownerOf(w)
	return owner, known && owner == w.thread && w.late.Has(contention.OwnerRead) && !isKernelLock(ix.objects[w.resource].Kind)
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
