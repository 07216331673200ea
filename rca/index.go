// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// wait is a wait of the trace as the analysis needs it.
type wait struct {
	span     // to the end of the window if the wait is open
	thread   threadNo
	resource resourceNo
	owner    int // tid, 0 if none
	late     contention.LateLook
	stack    contention.StackID
	open     bool
	letGo    bool  // a thread ended it
	serial   int32 // counts those of a thread that are not by choice
}

// object is a resource, who waits for it and who lets it go.
type object struct {
	contention.Resource
	nature   nature
	waiters  []threadNo // by number
	releases []release  // in order of time
	near     int        // where releases were looked up last
	// group is what the resource is judged together with, mostly itself.
	group resourceNo
	// lock: its holder answers for all it does.
	lock bool
	// permits of a pool, in order of time.
	permits []permit
}

// release is a moment at which a thread let a resource go.
type release struct {
	at     time.Duration
	thread threadNo
	// certain: the thread's own system call was on the resource.
	certain bool
	stack   contention.StackID
}

// episode is a stretch of a thread's life in which it did not run: one of its
// waits, or a time in which it wanted a CPU.
type episode struct {
	span
	wait     int32         // place in index.waits, or wantsCPU
	occupant threadNo      // who had the CPU at the end of it, or nobody
	occupied time.Duration // for how long at most, 0: not known
	stack    contention.StackID
	serial   int32 // of a wait for a CPU; see wait
}

// occupation is the part of an episode in which its occupant had the CPU.
func (ep episode) occupation() span {
	if ep.occupied == 0 {
		return ep.span
	}
	return span{max(ep.from, ep.to-ep.occupied), ep.to}
}

// wantsCPU stands for the wait of an episode in which a thread was runnable.
const wantsCPU = -1

// index is a trace in the order in which it is asked for.
type index struct {
	trace  *contention.Trace // a copy, without the events that are in the index
	seen   int               // how many waits and preemptions it had
	window span
	waits  []wait
	// By threadNo.
	threads  []contention.Thread
	lives    [][]episode
	near     []int // where lives were looked up last
	samples  [][]contention.Sample
	observed []bool            // what the thread did is in the trace
	ends     map[int][]end     // by pid: of its threads
	gone     map[threadNo]bool // it ended and left something locked, or is no thread
	waited   []int32           // how many waits not by choice a thread has
	// By resourceNo.
	objects []object
	cpu     resourceNo                  // stands for all CPUs
	groups  map[resourceNo][]resourceNo // the members of a group, itself left out

	threadNos   map[contention.ThreadID]threadNo
	resourceNos map[contention.Resource]resourceNo
	byTID       map[int]threadNo // the latest of each tid
}

func newIndex(trace *contention.Trace) *index {
	own := *trace
	ix := &index{
		trace:       &own,
		seen:        len(trace.Waits) + len(trace.Preemptions),
		window:      span{trace.Window.Begin, trace.Window.End},
		threadNos:   make(map[contention.ThreadID]threadNo, len(trace.Threads)),
		resourceNos: make(map[contention.Resource]resourceNo),
		byTID:       make(map[int]threadNo, len(trace.Threads)),
		ends:        make(map[int][]end),
		gone:        make(map[threadNo]bool),
	}
	ix.cpu = ix.resource(contention.Resource{Kind: contention.CPU})
	ix.addThreads()
	ix.addWaits()
	ix.addPreemptions()
	ix.addSamples()
	ix.addExits()
	ix.sort()
	ix.listWaiters()
	ix.noteObserved()
	ix.formGroups()
	ix.tellLocks()
	ix.findPools()
	return ix
}

// sort orders releases and lives by time. Releases of one thread at one time are one;
// others of equal time are ordered by thread, so that the order in which the trace lists
// its events does not matter.
func (ix *index) sort() {
	for i := range ix.objects {
		o := &ix.objects[i]
		slices.SortFunc(o.releases, ix.compareReleases)
		o.releases = slices.CompactFunc(o.releases, func(a, b release) bool {
			return a.at == b.at && a.thread == b.thread
		})
	}
	for _, life := range ix.lives {
		slices.SortFunc(life, ix.compareEpisodes)
	}
}

// listWaiters lists who waits for each resource, once and by number.
func (ix *index) listWaiters() {
	for thread, life := range ix.lives {
		for i := range life {
			r := ix.cpu
			if life[i].wait != wantsCPU {
				r = ix.waits[life[i].wait].resource
			}
			ix.objects[r].addWaiter(threadNo(thread))
		}
	}
}

// addWaiter adds a thread, if it is not the last of the list already.
func (o *object) addWaiter(thread threadNo) {
	if last := len(o.waiters) - 1; last < 0 || o.waiters[last] != thread {
		o.waiters = append(o.waiters, thread)
	}
}

func (ix *index) compareReleases(a, b release) int {
	if a.at != b.at {
		return cmp.Compare(a.at, b.at)
	}
	return cmp.Or(ix.compareThreads(a.thread, b.thread), compareBool(a.certain, b.certain), cmp.Compare(a.stack, b.stack))
}

func (ix *index) compareEpisodes(a, b episode) int {
	if c := compareSpans(a.span, b.span); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.wait, b.wait), ix.compareThreads(a.occupant, b.occupant),
		cmp.Compare(a.occupied, b.occupied), cmp.Compare(a.stack, b.stack),
	)
}

// noteObserved marks the threads that the trace tells of: those with events of their
// own and all others of their processes.
func (ix *index) noteObserved() {
	pids := make(map[int]bool)
	for n, t := range ix.threads {
		if t.PID != 0 && ix.hasEvents(threadNo(n)) {
			pids[t.PID] = true
		}
	}
	ix.observed = make([]bool, len(ix.threads))
	for n, t := range ix.threads {
		ix.observed[n] = ix.hasEvents(threadNo(n)) || pids[t.PID]
	}
}

func (ix *index) hasEvents(n threadNo) bool { return len(ix.lives[n])+len(ix.samples[n]) > 0 }
