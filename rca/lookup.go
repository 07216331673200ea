// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"sort"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// searchNear is as sort.Search, and quick if what is sought is near a place. Waits are
// explained in order of time, so what one asks for is near what the one before did.
func searchNear(n, near int, f func(int) bool) int {
	from, to := 0, n // f(from-1) is false, f(to) is true
	near = min(near, n)
	for step := 1; near-step >= 0; step *= 2 {
		if !f(near - step) {
			from = near - step + 1
			break
		}
		to = near - step
	}
	if to >= near {
		for step := 1; near+step <= n; step *= 2 {
			if f(near + step - 1) {
				to = near + step - 1
				break
			}
			from = near + step
		}
	}
	return from + sort.Search(to-from, func(i int) bool { return f(from + i) })
}

// after returns the releases of a resource later than t.
func (ix *index) after(r resourceNo, t time.Duration) []release {
	o := &ix.objects[r]
	return o.releases[o.firstAfter(t):]
}

// firstAfter returns the place of the first release later than t.
func (o *object) firstAfter(t time.Duration) int {
	o.near = searchNear(len(o.releases), o.near, func(i int) bool { return o.releases[i].at > t })
	return o.near
}

// during returns the episodes of a thread that end later than t, of which the
// first ones may begin before it.
func (ix *index) during(thread threadNo, t time.Duration) []episode {
	life := ix.lives[thread]
	first := searchNear(len(life), ix.near[thread], func(i int) bool { return life[i].from >= t })
	ix.near[thread] = first
	for first > 0 && life[first-1].to > t {
		first--
	}
	return life[first:]
}

// ownerOf is the thread that the owner word of a wait named.
func (ix *index) ownerOf(w *wait) (threadNo, bool) {
	if n := ix.objects[w.resource].nature; w.owner == 0 || n != aLock && n != either {
		return nobody, false
	}
	owner, known := ix.byTID[w.owner]
	return owner, known && !ix.observes(owner)
}

// ownerThroughout is the thread that the owner word of a wait named, if it had the
// resource to the end of it: it could not let it go without waking somebody who waits.
// A word that was read at the end tells of the time since the last release.
func (ix *index) ownerThroughout(w *wait) (threadNo, bool) {
	owner, known := ix.ownerOf(w)
	if !known || owner == w.thread {
		return nobody, false
	}
	if w.late.Has(contention.OwnerRead) {
		return owner, true
	}
	later := ix.after(w.resource, w.from)
	return owner, len(later) == 0 || later[0].at > w.to
}
