// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

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

// ending is how a wait ended, as far as wait does not tell.
type ending struct {
	ran, occupied    time.Duration
	waker, occupant  threadNo           // or nobody
	stack            contention.StackID // of the waker
	certain, delayed bool               // delayed: the thread had no CPU at once
}

// addWaits first makes of all waits something smaller, for a trace may be large, and of
// that the lives of threads and the releases.
func (ix *index) addWaits() {
	list := canonical(ix.trace.Waits)
	ix.waits = make([]wait, len(list))
	endings := make([]ending, len(list))
	for i := range list {
		ix.waits[i] = ix.newWait(&list[i])
		endings[i] = ix.newEnding(&ix.waits[i], &list[i])
	}
	ix.trace.Waits = nil
	ix.makeRoom(endings)
	for i := range endings {
		ix.addWait(int32(i), &endings[i])
	}
}

func (ix *index) newWait(w *contention.Wait) wait {
	added := wait{
		span:     span{w.Begin, w.Woken},
		thread:   ix.thread(w.Thread),
		resource: ix.resource(w.Resource),
		owner:    w.Owner,
		late:     w.Late,
		stack:    w.Stack,
		open:     w.Unanswered(),
	}
	added.letGo = w.Waker.Kind == contention.WokenByThread && !added.open
	if w.Open() {
		added.to = max(w.Begin, ix.window.to)
	}
	if w.Late.Has(contention.OwnerGone) {
		ix.noteGone(w.Owner, ix.threads[added.thread].PID)
	}
	return added
}

func (ix *index) newEnding(added *wait, w *contention.Wait) ending {
	e := ending{waker: nobody, occupant: nobody, ran: w.Ran, occupied: w.Occupied, delayed: w.Ran > added.to}
	if added.letGo {
		e.waker, e.certain, e.stack = ix.other(w.Waker.Thread), w.Waker.SameObject, w.Waker.Stack
	}
	if e.delayed {
		e.occupant = ix.other(w.Occupant)
	}
	return e
}

// makeRoom allocates the lives of threads and the releases of resources in the size that
// they will have: grown bit by bit they would leave more garbage than the trace is large.
func (ix *index) makeRoom(endings []ending) {
	for i := range ix.trace.Preemptions {
		ix.thread(ix.trace.Preemptions[i].Thread)
	}
	episodes, releases := make([]int, len(ix.threads)), make([]int, len(ix.objects))
	for i := range endings {
		w, e := &ix.waits[i], &endings[i]
		episodes[w.thread]++
		if e.delayed {
			episodes[w.thread]++
		}
		if e.waker != nobody {
			releases[w.resource]++
		}
	}
	for i := range ix.trace.Preemptions {
		episodes[ix.thread(ix.trace.Preemptions[i].Thread)]++
	}
	for thread, n := range episodes {
		ix.lives[thread] = make([]episode, 0, n)
	}
	for resource, n := range releases {
		ix.objects[resource].releases = make([]release, 0, n)
	}
}

// addWait adds wait i to the life of its thread and to who lets go.
func (ix *index) addWait(i int32, e *ending) {
	w := &ix.waits[i]
	o := &ix.objects[w.resource]
	if e.waker != nobody {
		o.releases = append(o.releases, release{w.to, e.waker, e.certain, e.stack})
	}
	ix.live(w.thread, episode{span: w.span, wait: i, occupant: nobody, stack: w.stack})
	if o.nature != choice {
		w.serial = ix.waited[w.thread]
		ix.waited[w.thread]++
	}
	if e.delayed {
		ix.live(w.thread, episode{
			span: span{w.to, e.ran}, wait: wantsCPU, occupant: e.occupant, occupied: e.occupied, stack: w.stack,
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
	ix.trace.Preemptions = nil
}

func (ix *index) addSamples() {
	for _, s := range ix.trace.Samples {
		thread := ix.thread(s.Thread)
		ix.samples[thread] = append(ix.samples[thread], s)
	}
	ix.trace.Samples = nil
}

// live adds an episode to the life of a thread.
func (ix *index) live(thread threadNo, e episode) {
	if e.wait == wantsCPU {
		e.serial = ix.waited[thread]
		ix.waited[thread]++
	}
	ix.lives[thread] = append(ix.lives[thread], e)
}
