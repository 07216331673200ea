// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// eventLog keeps the events of a window in a fraction of the room they take in a trace:
// threads and resources are few, and stand in tables of their own, and so do waits that
// differ in their times alone.
type eventLog struct {
	threads     numbering[contention.ThreadID]
	resources   numbering[contention.Resource]
	kinds       numbering[waitKind]
	waits       packedWaits
	died        map[int]bool // the places of waits that ended only because their threads did
	preemptions chunks[loggedPreemption]
}

// waitKind is a contention.Wait without its times and who had the CPU then, with places in
// tables for what it holds.
type waitKind struct {
	thread, waker      int32
	resource           int32
	requeued           int32 // the resource that it was moved to, or notRequeued
	owner              int32
	stack, kernelStack int32
	wakerStack         int32
	wakerKind          contention.WakerKind
	sameObject         bool
	late               contention.LateLook
}

// loggedPreemption is a contention.Preemption.
type loggedPreemption struct {
	begin, ran       time.Duration
	occupied         time.Duration
	thread, occupant int32
	stack            int32
	throttled        bool
}

func newEventLog() eventLog {
	l := eventLog{
		threads:   newNumbering[contention.ThreadID](),
		resources: newNumbering[contention.Resource](),
		kinds:     newNumbering[waitKind](),
	}
	l.threads.of(contention.ThreadID{}) // noThread
	return l
}

const (
	notRequeued = -1
	noThread    = 0
)

func (l *eventLog) addWait(w *contention.Wait) {
	l.waits.add(l.kindOf(w, notRequeued), waitTimes{w.Begin, w.Woken, w.Ran, w.Occupied, l.threads.of(w.Occupant)})
}

// kindOf numbers the kind of a wait whose thread was moved from one futex to another
// meanwhile, or was not.
func (l *eventLog) kindOf(w *contention.Wait, to int32) int32 {
	return l.kinds.of(waitKind{
		thread:      l.threads.of(w.Thread),
		waker:       l.threads.of(w.Waker.Thread),
		resource:    l.resources.of(w.Resource),
		requeued:    to,
		owner:       int32(w.Owner),
		stack:       int32(w.Stack),
		kernelStack: int32(w.KernelStack),
		wakerStack:  int32(w.Waker.Stack),
		wakerKind:   w.Waker.Kind,
		sameObject:  w.Waker.SameObject,
		late:        w.Late,
	})
}

func (l *eventLog) wait(w waitKind, t waitTimes) contention.Wait {
	return contention.Wait{
		Thread:   l.threads.list[w.thread],
		Resource: l.resources.list[w.resource],
		Begin:    t.begin, Woken: t.woken, Ran: t.ran,
		Waker: contention.Waker{
			Kind:       w.wakerKind,
			Thread:     l.threads.list[w.waker],
			SameObject: w.sameObject,
			Stack:      contention.StackID(w.wakerStack),
		},
		Owner:       int(w.owner),
		Late:        w.late,
		Stack:       contention.StackID(w.stack),
		KernelStack: contention.StackID(w.kernelStack),
		Occupant:    l.threads.list[t.occupant],
		Occupied:    t.occupied,
	}
}

func (l *eventLog) addPreemption(p contention.Preemption) {
	l.preemptions.add(loggedPreemption{
		begin: p.Begin, ran: p.Ran, occupied: p.Occupied,
		thread:   l.threads.of(p.Thread),
		occupant: l.threads.of(p.Occupant),
		stack:    int32(p.Stack),

		throttled: p.Throttled,
	})
}

func (l *eventLog) preemption(p *loggedPreemption) contention.Preemption {
	return contention.Preemption{
		Thread: l.threads.list[p.thread],
		Begin:  p.begin, Ran: p.ran,
		Occupant: l.threads.list[p.occupant],
		Occupied: p.occupied,
		Stack:    contention.StackID(p.stack),

		Throttled: p.throttled,
	}
}

// lastBegins returns when the last wait of each thread began.
func (l *eventLog) lastBegins() map[contention.ThreadID]time.Duration {
	began := make(map[contention.ThreadID]time.Duration, len(l.threads.list))
	l.waits.each(func(_ int, kind int32, t waitTimes) {
		thread := l.threads.list[l.kinds.list[kind].thread]
		began[thread] = max(began[thread], t.begin)
	})
	return began
}

// lastWords is how long a thread that was woken to end runs until it has: it executes no
// more of its program.
const lastWords = 5 * time.Millisecond

// markDeaths marks the waits that ended only because their threads did, which they did at
// the given instants. One that another thread ended by a call on the same thing was let go,
// and so was one for the end of another thread.
func (l *eventLog) markDeaths(exits map[contention.ThreadID]time.Duration) {
	type ended struct {
		place int
		kind  waitKind
		waitTimes
	}
	last := make(map[int32]ended, len(exits))
	l.waits.each(func(place int, number int32, t waitTimes) {
		kind := l.kinds.list[number]
		if _, exited := exits[l.threads.list[kind.thread]]; !exited {
			return
		}
		if before, known := last[kind.thread]; !known || before.begin < t.begin {
			last[kind.thread] = ended{place, kind, t}
		}
	})
	l.died = make(map[int]bool)
	for thread, w := range last {
		if !w.kind.sameObject && w.ran != 0 && l.resources.list[w.kind.resource].Kind != contention.Join && exits[l.threads.list[thread]]-w.ran < lastWords {
			l.died[w.place] = true
		}
	}
}

// take puts all events into a trace, and empties the log.
func (l *eventLog) take(trace *contention.Trace) {
	wakes := l.wakesOfRequeued()
	adoptKinds(l.resources.list)
	trace.Waits = nil
	if l.waits.count > 0 {
		trace.Waits = make([]contention.Wait, 0, l.waits.count)
	}
	l.waits.each(func(place int, number int32, t waitTimes) {
		kind := l.kinds.list[number]
		if l.died[place] {
			kind.late |= contention.Died
		}
		if rest, restTimes, moved := wakes.split(&kind, &t); moved {
			trace.Waits = append(trace.Waits, l.wait(rest, restTimes))
		}
		trace.Waits = append(trace.Waits, l.wait(kind, t))
	})
	trace.Preemptions = unfold(l.preemptions, l.preemption)
	*l = newEventLog()
}

// chunks is a list that leaves no garbage as it grows. All chunks are full but the last.
type chunks[T any] [][]T

// chunkLength is how many a chunk holds.
const chunkLength = 1 << 12

func (c *chunks[T]) add(value T) {
	last := len(*c) - 1
	if last < 0 || len((*c)[last]) == chunkLength {
		*c = append(*c, make([]T, 0, chunkLength))
		last++
	}
	(*c)[last] = append((*c)[last], value)
}

// unfold makes a plain list, and lets go of each chunk in turn: the room may be needed
// for the rest.
func unfold[T, U any](c chunks[T], each func(*T) U) []U {
	if len(c) == 0 {
		return nil
	}
	list := make([]U, 0, (len(c)-1)*chunkLength+len(c[len(c)-1]))
	for i, chunk := range c {
		for j := range chunk {
			list = append(list, each(&chunk[j]))
		}
		c[i] = nil
	}
	return list
}

// numbering gives each value a place in a list.
type numbering[T comparable] struct {
	list   []T
	places map[T]int32
}

func newNumbering[T comparable]() numbering[T] {
	return numbering[T]{places: make(map[T]int32)}
}

func (n *numbering[T]) of(value T) int32 {
	place, ok := n.places[value]
	if !ok {
		place = int32(len(n.list))
		n.list = append(n.list, value)
		n.places[value] = place
	}
	return place
}
