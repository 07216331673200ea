// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// end is when a thread ended.
type end struct {
	thread threadNo
	at     time.Duration
}

func (ix *index) addExits() {
	for _, x := range ix.trace.Exits {
		n := ix.thread(x.Thread)
		pid := ix.threads[n].PID
		ix.ends[pid] = append(ix.ends[pid], end{n, x.At})
	}
	for _, list := range ix.ends {
		slices.SortFunc(list, func(a, b end) int { return cmp.Compare(a.at, b.at) })
	}
}

// togetherUntil is the part of a wait for the end of a thread in which others of the
// process had not ended either. Whoever starts several threads and waits for one after
// the other waits for all of them: the one that it comes to first is not slow for that.
func (ix *index) togetherUntil(w *wait) span {
	together := span{w.from, w.from}
	if !tellsEnds(ix.objects[w.resource].Kind) {
		return together
	}
	releases := ix.after(w.resource, w.from)
	if len(releases) == 0 || !ix.isEnd(w.resource, releases[0]) {
		return together
	}
	ends := ix.ends[ix.threads[w.thread].PID]
	earlier := ends[:sort.Search(len(ends), func(i int) bool { return ends[i].at >= w.to })]
	for _, e := range slices.Backward(earlier) {
		if e.thread != releases[0].thread {
			together.to = max(w.from, e.at)
			break
		}
	}
	return together
}

// tellsEnds reports whether a wait for a thing of kind k may be one for the end of a thread.
func tellsEnds(k contention.Kind) bool { return k == contention.Join || k == contention.Futex }

// lastWords is how long a thread lives at most once it has let go who waits for its end.
const lastWords = time.Millisecond

// isEnd reports whether it was by its end that a thread let go who waited: for that, or
// for a futex, where it is not known that it is what the kernel clears at the end.
func (ix *index) isEnd(resource resourceNo, r release) bool {
	switch ix.objects[resource].Kind {
	case contention.Join:
		return true
	case contention.Futex:
		return !r.certain && slices.ContainsFunc(ix.ends[ix.threads[r.thread].PID], func(e end) bool {
			return e.thread == r.thread && (e.at-r.at).Abs() <= lastWords
		})
	default:
		return false
	}
}
