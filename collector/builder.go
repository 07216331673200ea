// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/usym"
)

// builder collects events and puts them together as traces.
type builder struct {
	stacks  *stackTable
	threads map[contention.ThreadID]contention.Thread
	// variables are the names of the resources of this window, "" of those without.
	variables map[contention.Resource]string
	anonymous anonymousFiles // of this window
	log       eventLog
	seen      map[bpf.WaitEvent]int32 // the kinds of this window's waits, by what remains of an event without its times
	samples   []contention.Sample
	gone      []int                                 // processes that have ended since the last cut
	exits     map[contention.ThreadID]time.Duration // of threads since then
	shed      contention.Shed                       // since then, the spans aside
	lost      contention.Loss                       // up to the last cut
}

func newBuilder(stacks *stackTable) *builder {
	return &builder{
		stacks:    stacks,
		threads:   make(map[contention.ThreadID]contention.Thread),
		variables: make(map[contention.Resource]string),
		anonymous: make(anonymousFiles),
		log:       newEventLog(),
		seen:      make(map[bpf.WaitEvent]int32),
		exits:     make(map[contention.ThreadID]time.Duration),
	}
}

// add takes one record of the ring buffer.
func (b *builder) add(raw []byte) error {
	kind, err := eventType(raw)
	if err != nil {
		return err
	}
	switch kind {
	case bpf.EventWaits:
		return eachWait(raw, b.addWait)
	case bpf.EventPreempted:
		return addAs(raw, b.addPreemption)
	case bpf.EventSample:
		return addAs(raw, b.addSample)
	case bpf.EventExit:
		return addAs(raw, b.addExit)
	case bpf.EventExec:
		return addAs(raw, b.addExec)
	default:
		return fmt.Errorf("decode an event: type %d is unknown", kind)
	}
}

func addAs[T any](raw []byte, add func(T)) error {
	event, err := view[T](raw)
	if err == nil {
		add(event)
	}
	return err
}

// maxSeen bounds the waits that are known again.
const maxSeen = 1 << 12

// addWait takes a wait that has ended. Most are as one before in all but their times, which
// is far less to find out than what each thing in them is called.
func (b *builder) addWait(e bpf.WaitEvent) {
	timeless := e
	timeless.BlockNs, timeless.RunNs, timeless.Wake.Ns = 0, 0, 0
	timeless.Occupant, timeless.OccupiedNs = bpf.TaskID{}, 0
	kind, ok := b.seen[timeless]
	if !ok {
		kind = b.readWait(e)
		if len(b.seen) >= maxSeen {
			clear(b.seen)
		}
		if b.settled(e) {
			b.seen[timeless] = kind
		}
	}
	t := waitTimes{begin: time.Duration(e.BlockNs), woken: time.Duration(e.Wake.Ns), ran: time.Duration(e.RunNs)}
	if e.Occupant.Tid != 0 {
		occupant, occupied := b.occupant(e.Occupant, e.OccupiedNs)
		t.occupant, t.occupied = b.log.threads.of(occupant), occupied
	}
	b.log.waits.add(kind, t)
}

// readWait numbers what an event tells but its times.
func (b *builder) readWait(e bpf.WaitEvent) int32 {
	if e.Object.Call == bpf.CallFutexWaitV && e.Wake.Call == bpf.CallFutexWake {
		e.Object.Address = e.Wake.Address // of all that it waited for, this is what came about
	}
	w := b.wait(e.Thread, e.Object, e.BlockNs, e.UserStack, e.KernelStack)
	w.Waker = b.waker(e.Object, e.Wake)
	return b.log.kindOf(&w, b.requeuedTo(e, w.Resource))
}

// settled reports whether another event like e would be read as it was.
func (b *builder) settled(e bpf.WaitEvent) bool {
	return b.stacks.knows(e.UserStack) && b.stacks.knows(e.Wake.Stack) && !isAnonymous(e.Object)
}

// requeuedTo is the futex that a thread slept on in the end, if it is another than it was
// when it began to sleep: the one at which it was woken.
func (b *builder) requeuedTo(e bpf.WaitEvent, from contention.Resource) int32 {
	o, w := e.Object, e.Wake
	if o.Call != bpf.CallFutexWait || o.KernelLock != 0 || sharedFutex(o) || w.Call != bpf.CallFutexWake || w.Kind != bpf.WakeThread ||
		w.Address == o.Address || w.By.Tgid != e.Thread.Tgid {
		return notRequeued
	}
	to := contention.Resource{Kind: contention.Futex, Address: contention.Address(w.Address), PID: from.PID}
	to.Symbol = b.variable(to)
	return b.log.resources.of(to)
}

// wait is what there is to tell of a wait when it begins.
func (b *builder) wait(id bpf.TaskID, o bpf.Object, begin, user, kernel uint64) contention.Wait {
	thread := b.know(id)
	w := contention.Wait{
		Thread:      thread.ID(),
		Begin:       time.Duration(begin),
		Stack:       b.stacks.userStack(user, thread.PID),
		KernelStack: b.stacks.kernelStack(kernel),
	}
	w.Resource, w.Owner = b.resource(o, thread, b.stacks.stack(w.Stack))
	return w
}

// resource is what a thread waits for, with the tid of who has it, 0 if that is not known.
func (b *builder) resource(o bpf.Object, thread contention.Thread, stack contention.Stack) (r contention.Resource, holder int) {
	r = classify(o, thread, stack)
	holder = owner(o, r.Kind, stack)
	switch {
	case sharedFutex(o):
		b.nameShared(&r)
	case r.Kind == contention.Other && isAnonymous(o):
		b.anonymous.tell(&r, o, thread)
	}
	r.Symbol = b.variable(r)
	return r, holder
}

// variable names the variable that a lock is, "" if it is none.
func (b *builder) variable(r contention.Resource) string {
	if !lacksName(r) {
		return ""
	}
	name, ok := b.variables[r]
	if !ok {
		name, _ = b.stacks.user.Variable(r.PID, uint64(r.Address))
		b.variables[r] = name
	}
	return name
}

// nameShared names a futex in shared memory by what all processes call it: the
// file and the offset in it. One that is not in a file keeps its address.
func (b *builder) nameShared(r *contention.Resource) {
	m, ok := b.stacks.user.Locate(usym.Process{PID: r.PID}, uint64(r.Address))
	if !ok || m.Inode == 0 || m.Permissions&image.Shared == 0 {
		return
	}
	r.Address = contention.Address(m.FileOffset(uint64(r.Address)))
	r.Device, r.Inode, r.PID = m.Device, m.Inode, 0
}

func (b *builder) waker(o bpf.Object, w bpf.Wake) contention.Waker {
	switch w.Kind {
	case bpf.WakeThread:
		if w.By.Tid == 0 {
			return contention.Waker{} // a thread outside of the collector's pid namespace
		}
		thread := b.know(w.By)
		return contention.Waker{
			Kind:       contention.WokenByThread,
			Thread:     thread.ID(),
			SameObject: sameObject(o, w),
			Stack:      b.stacks.userStack(w.Stack, thread.PID),
		}
	case bpf.WakeKernel:
		return contention.Waker{Kind: contention.WokenByKernel, Thread: b.know(w.By).ID()}
	case bpf.WakeInterrupt:
		return contention.Waker{Kind: contention.WokenByInterrupt}
	default:
		return contention.Waker{}
	}
}

func (b *builder) addPreemption(e bpf.PreemptEvent) {
	thread := b.know(e.Thread)
	occupant, occupied := b.occupant(e.Occupant, e.OccupiedNs)
	if e.Throttled != 0 {
		occupant, occupied = contention.ThreadID{}, 0
	}
	b.log.addPreemption(contention.Preemption{
		Thread:   thread.ID(),
		Begin:    time.Duration(e.OutNs),
		Ran:      time.Duration(e.RunNs),
		Occupant: occupant,
		Occupied: occupied,
		Stack:    b.stacks.userStack(e.UserStack, thread.PID),

		Throttled: e.Throttled != 0,
	})
}

func (b *builder) addSample(e bpf.SampleEvent) {
	thread := b.know(e.Thread)
	b.samples = append(b.samples, contention.Sample{
		Thread: thread.ID(),
		At:     time.Duration(e.Ns),
		Stack:  b.stacks.userStack(e.UserStack, thread.PID),
	})
}

// addExit leaves a process's symbols until the next cut, for the events of its other
// threads that are still to come.
func (b *builder) addExit(t bpf.ThreadTotals) {
	thread := b.name(t)
	b.countUntold(t)
	b.exits[thread.ID()] = time.Duration(t.NowNs)
	if thread.TID == thread.PID {
		b.gone = append(b.gone, thread.PID)
	}
}

func (b *builder) countUntold(t bpf.ThreadTotals) {
	b.shed.Waits += uint64(t.Untold)
	b.shed.WaitTime += time.Duration(t.UntoldNs)
}

// addExec forgets the program that the process was before.
func (b *builder) addExec(e bpf.ExecEvent) { b.stacks.user.Forget(b.know(e.Thread).PID) }

// know remembers a thread. The kernel names those that are watched; others, as wake
// them or run before them, have the name they had when they were first met.
func (b *builder) know(id bpf.TaskID) contention.Thread {
	t := threadOf(id)
	if known, ok := b.threads[t.ID()]; ok {
		return known
	}
	t.Comm = readComm(t)
	b.threads[t.ID()] = t
	return t
}

// name remembers a watched thread by its latest name.
func (b *builder) name(totals bpf.ThreadTotals) contention.Thread {
	t := threadOf(totals.Thread)
	t.Comm = commOf(totals.Comm)
	b.threads[t.ID()] = t
	return t
}

// readComm returns a thread's name, empty if it is gone.
func readComm(t contention.Thread) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", t.PID, t.TID))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(name), "\n")
}

// occupant is who had the CPU before, and for how long; nobody, if it was idle.
func (b *builder) occupant(id bpf.TaskID, ns uint64) (contention.ThreadID, time.Duration) {
	if id.Tid == 0 {
		return contention.ThreadID{}, 0
	}
	return b.know(id).ID(), time.Duration(min(ns, math.MaxInt64))
}

// forget drops what the next window does not need: those of the threads that live
// are told of again when it is cut, and those it has events of by the events.
func (b *builder) forget() {
	clear(b.threads)
	clear(b.variables)
	clear(b.seen)
	clear(b.anonymous)
	clear(b.exits)
	for _, pid := range b.gone {
		b.stacks.user.Forget(pid)
	}
	b.gone = nil
}

// cut returns the trace of a window and begins the next one. lost is what was lost
// since the beginning.
func (b *builder) cut(w contention.Window, threads []bpf.ThreadTotals, looks lateLooks, lost contention.Loss) *contention.Trace {
	finished := b.log.lastBegins()
	for _, t := range threads {
		b.countUntold(t)
		b.addOpen(t, finished, looks[threadOf(t.Thread).ID()])
	}
	trace := contention.Trace{Window: w, Samples: b.samples, Stacks: b.stacks.stacks, Shed: b.shed, Observer: os.Getpid()}
	b.shed = contention.Shed{}
	b.log.markDeaths(b.exits)
	b.log.take(&trace)
	b.samples = nil
	for thread, at := range b.exits {
		trace.Exits = append(trace.Exits, contention.Exit{Thread: thread, At: at})
	}
	slices.SortFunc(trace.Exits, func(x, y contention.Exit) int {
		return cmp.Or(cmp.Compare(x.At, y.At), x.Thread.Compare(y.Thread))
	})
	defer b.stacks.begin()
	trace.Threads = slices.SortedFunc(maps.Values(b.threads), func(x, y contention.Thread) int {
		return x.ID().Compare(y.ID())
	})
	lost.StackIncomplete += b.stacks.lost
	trace.Loss = lost.Since(b.lost)
	trace.Loss.Detached = lost.Detached // those of before are so still
	b.lost = lost
	b.forget()
	nameByWaiters(&trace)
	trace.Sort()
	return &trace
}
