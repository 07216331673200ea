// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// span is a stretch of time, [from, to).
type span struct{ from, to time.Duration }

func (s span) length() time.Duration { return max(0, s.to-s.from) }

// within returns the part of s inside other; its length is 0 if there is none.
func (s span) within(other span) span {
	return span{max(s.from, other.from), min(s.to, other.to)}
}

// release is a moment at which a thread let a resource go.
type release struct {
	at     time.Duration
	thread contention.ThreadID
	stack  contention.StackID
	// certain: the thread's own system call was on the resource.
	certain bool
}

// episode is a stretch of a thread's life in which it did not run: one of its
// waits, or a time in which it wanted a CPU.
type episode struct {
	span
	wait     int // place in Trace.Waits, or wantsCPU
	occupant contention.ThreadID
	stack    contention.StackID
}

// wantsCPU stands for the wait of an episode in which a thread was runnable.
const wantsCPU = -1

// index is a trace in the order in which it is asked for.
type index struct {
	trace    *contention.Trace
	window   span
	threads  map[contention.ThreadID]contention.Thread
	byTID    map[int]contention.ThreadID // the latest of each tid
	releases map[contention.Resource][]release
	lives    map[contention.ThreadID][]episode
	locks    map[contention.Resource]bool // filled by behaviour.go
	// wanted counts the threads that waited for each resource.
	wanted map[contention.Resource]map[contention.ThreadID]bool
}

func newIndex(trace *contention.Trace) *index {
	ix := &index{
		trace:    trace,
		window:   span{trace.Window.Begin, trace.Window.End},
		threads:  make(map[contention.ThreadID]contention.Thread, len(trace.Threads)),
		byTID:    make(map[int]contention.ThreadID, len(trace.Threads)),
		releases: make(map[contention.Resource][]release),
		lives:    make(map[contention.ThreadID][]episode),
		wanted:   make(map[contention.Resource]map[contention.ThreadID]bool),
	}
	for _, t := range trace.Threads {
		ix.threads[t.ID()] = t
		if ix.byTID[t.TID].Start <= t.Start {
			ix.byTID[t.TID] = t.ID()
		}
	}
	ix.addWaits()
	ix.addPreemptions()
	ix.sort()
	ix.locks = locksByBehaviour(ix)
	return ix
}

func (ix *index) addWaits() {
	for i, w := range ix.trace.Waits {
		if ix.wanted[w.Resource] == nil {
			ix.wanted[w.Resource] = make(map[contention.ThreadID]bool)
		}
		ix.wanted[w.Resource][w.Thread] = true
		if w.Waker.Kind == contention.WokenByThread {
			ix.releases[w.Resource] = append(ix.releases[w.Resource], release{
				at: w.Woken, thread: w.Waker.Thread, stack: w.Waker.Stack, certain: w.Waker.SameObject,
			})
		}
		blocked := span{w.Begin, ix.end(w)}
		ix.lives[w.Thread] = append(ix.lives[w.Thread], episode{span: blocked, wait: i, stack: w.Stack})
		if w.Ran > blocked.to {
			ix.lives[w.Thread] = append(ix.lives[w.Thread], episode{
				span: span{blocked.to, w.Ran}, wait: wantsCPU, occupant: w.Occupant, stack: w.Stack,
			})
		}
	}
}

func (ix *index) addPreemptions() {
	for _, p := range ix.trace.Preemptions {
		ix.lives[p.Thread] = append(ix.lives[p.Thread], episode{
			span: span{p.Begin, p.Ran}, wait: wantsCPU, occupant: p.Occupant, stack: p.Stack,
		})
	}
}

// sort orders releases and lives by time. Releases of one thread at one time are
// one; others of equal time are ordered by thread, so that the order in which the
// trace lists its events does not matter.
func (ix *index) sort() {
	for resource, list := range ix.releases {
		slices.SortFunc(list, func(a, b release) int {
			return cmp.Or(cmp.Compare(a.at, b.at), a.thread.Compare(b.thread), cmp.Compare(a.stack, b.stack))
		})
		ix.releases[resource] = slices.CompactFunc(list, func(a, b release) bool {
			return a.at == b.at && a.thread == b.thread
		})
	}
	for _, life := range ix.lives {
		slices.SortFunc(life, func(a, b episode) int {
			return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.wait, b.wait))
		})
	}
}

// end is when a wait was over, as far as the window shows.
func (ix *index) end(w contention.Wait) time.Duration {
	if w.Open() {
		return max(w.Begin, ix.window.to)
	}
	return w.Woken
}

// after returns the releases of a resource later than t.
func (ix *index) after(r contention.Resource, t time.Duration) []release {
	list := ix.releases[r]
	return list[sort.Search(len(list), func(i int) bool { return list[i].at > t }):]
}

// during returns the episodes of a thread that end later than t, of which the
// first ones may begin before it.
func (ix *index) during(id contention.ThreadID, t time.Duration) []episode {
	life := ix.lives[id]
	first := sort.Search(len(life), func(i int) bool { return life[i].from >= t })
	for first > 0 && life[first-1].to > t {
		first--
	}
	return life[first:]
}

// known is what is known of thread id.
func (ix *index) known(id contention.ThreadID) contention.Thread {
	if t, ok := ix.threads[id]; ok {
		return t
	}
	return contention.Thread{TID: id.TID, Start: id.Start}
}

// ownerOf is the thread that the owner word of a wait names, if it is one of the
// waiter's process that is known.
func (ix *index) ownerOf(w contention.Wait) (contention.ThreadID, bool) {
	id, ok := ix.byTID[w.Owner]
	if w.Owner == 0 || !ok || id == w.Thread {
		return contention.ThreadID{}, false
	}
	return id, true
}
