// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"sort"
	"time"
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
	releases := ix.after(w.resource, w.from)
	if !ix.objects[w.resource].isJoin() || len(releases) == 0 {
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
