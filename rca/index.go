// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"sort"
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
	waiters  []threadNo
	releases []release // in order of time
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
	trace  *contention.Trace
	window span
	waits  []wait
	// By threadNo.
	threads  []contention.Thread
	lives    [][]episode
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
	ix := &index{
		trace:       trace,
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
	ix.noteObserved()
	ix.formGroups()
	ix.tellLocks()
	ix.findPools()
	return ix
}

// addThreads notes what is known of each thread. One that is listed twice is what
// sorts first.
func (ix *index) addThreads() {
	for _, t := range ix.trace.Threads {
		n, listed := ix.threadNos[t.ID()]
		if !listed {
			n = ix.thread(t.ID())
		}
		if known := ix.threads[n]; !listed || cmp.Or(cmp.Compare(t.PID, known.PID), cmp.Compare(t.Comm, known.Comm)) < 0 {
			ix.threads[n] = t
		}
		if latest, ok := ix.byTID[t.TID]; !ok || ix.threads[latest].Start < t.Start {
			ix.byTID[t.TID] = n
		}
	}
}

func (ix *index) addWaits() {
	ix.waits = make([]wait, 0, len(ix.trace.Waits))
	list := canonical(ix.trace.Waits)
	for i := range list {
		ix.addWait(&list[i])
	}
}

func (ix *index) addWait(w *contention.Wait) {
	added := wait{
		span:     span{w.Begin, w.Woken},
		thread:   ix.thread(w.Thread),
		resource: ix.resource(w.Resource),
		owner:    w.Owner,
		late:     w.Late,
		stack:    w.Stack,
		open:     w.Unanswered(),
	}
	if w.Open() {
		added.to = max(w.Begin, ix.window.to)
	}
	o := &ix.objects[added.resource]
	if last := len(o.waiters) - 1; last < 0 || o.waiters[last] != added.thread {
		o.waiters = append(o.waiters, added.thread)
	}
	if w.Waker.Kind == contention.WokenByThread && !added.open {
		added.letGo = true
		ix.addRelease(added.resource, w.Woken, w.Waker)
	}
	if w.Late.Has(contention.OwnerGone) {
		ix.noteGone(w.Owner, ix.threads[added.thread].PID)
	}
	ix.live(added.thread, episode{span: added.span, wait: int32(len(ix.waits)), occupant: nobody, stack: w.Stack})
	if o.nature != choice {
		added.serial = ix.waited[added.thread]
		ix.waited[added.thread]++
	}
	ix.waits = append(ix.waits, added)
	if w.Ran > added.to {
		ix.live(added.thread, episode{
			span: span{added.to, w.Ran}, wait: wantsCPU, occupant: ix.other(w.Occupant), occupied: w.Occupied, stack: w.Stack,
		})
	}
}

// noteGone notes that the thread of a process that had tid has ended, and what it had
// locked is locked for ever. It may have ended before the window, unseen.
func (ix *index) noteGone(tid, pid int) {
	n, known := ix.byTID[tid]
	if !known {
		n = ix.thread(contention.ThreadID{TID: tid})
		ix.threads[n].PID = pid
		ix.byTID[tid] = n
	}
	ix.gone[n] = true
}

func (ix *index) addRelease(resource resourceNo, at time.Duration, by contention.Waker) {
	if thread := ix.other(by.Thread); thread != nobody {
		o := &ix.objects[resource]
		o.releases = append(o.releases, release{at, thread, by.SameObject, by.Stack})
	}
}

func (ix *index) addPreemptions() {
	for _, p := range ix.trace.Preemptions {
		thread := ix.thread(p.Thread)
		ep := episode{
			span: span{p.Begin, p.Ran}, wait: wantsCPU, occupant: ix.other(p.Occupant), occupied: p.Occupied, stack: p.Stack,
		}
		if p.Throttled {
			ep.occupant, ep.occupied = ix.quota(), ep.length()
		}
		ix.live(thread, ep)
	}
}

func (ix *index) addSamples() {
	for _, s := range ix.trace.Samples {
		thread := ix.thread(s.Thread)
		ix.samples[thread] = append(ix.samples[thread], s)
	}
}

// live adds an episode to the life of a thread.
func (ix *index) live(thread threadNo, e episode) {
	if e.wait == wantsCPU {
		e.serial = ix.waited[thread]
		ix.waited[thread]++
		o := &ix.objects[ix.cpu]
		if last := len(o.waiters) - 1; last < 0 || o.waiters[last] != thread {
			o.waiters = append(o.waiters, thread)
		}
	}
	ix.lives[thread] = append(ix.lives[thread], e)
}

// sort orders releases and lives by time, and lists each waiter once. Releases of
// one thread at one time are one; others of equal time are ordered by thread, so
// that the order in which the trace lists its events does not matter.
func (ix *index) sort() {
	for i := range ix.objects {
		o := &ix.objects[i]
		slices.SortFunc(o.releases, ix.compareReleases)
		o.releases = slices.CompactFunc(o.releases, func(a, b release) bool {
			return a.at == b.at && a.thread == b.thread
		})
		slices.Sort(o.waiters)
		o.waiters = slices.Compact(o.waiters)
	}
	for _, life := range ix.lives {
		slices.SortFunc(life, ix.compareEpisodes)
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
	pids := ix.trace.Observed()
	ix.observed = make([]bool, len(ix.threads))
	for n, t := range ix.threads {
		ix.observed[n] = len(ix.lives[n])+len(ix.samples[n]) > 0 || pids[t.PID]
	}
}

// after returns the releases of a resource later than t.
func (ix *index) after(r resourceNo, t time.Duration) []release {
	list := ix.objects[r].releases
	return list[sort.Search(len(list), func(i int) bool { return list[i].at > t }):]
}

// during returns the episodes of a thread that end later than t, of which the
// first ones may begin before it.
func (ix *index) during(thread threadNo, t time.Duration) []episode {
	life := ix.lives[thread]
	first := sort.Search(len(life), func(i int) bool { return life[i].from >= t })
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
