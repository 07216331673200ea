// SPDX-License-Identifier: Apache-2.0

package contention

import (
	"slices"
	"time"
)

// Window is a span of time. A wait counts only for its part inside.
type Window struct {
	Begin, End time.Duration
}

// Length is how long the window lasts.
func (w Window) Length() time.Duration { return w.End - w.Begin }

// Trace is all that an analysis is given: what the target's threads waited for
// in a window, and nothing of how the target came to be.
type Trace struct {
	Window  Window
	Threads []Thread
	Waits   []Wait
	// Preemptions are the times a thread could have run and was not let.
	Preemptions []Preemption
	// Samples are taken on the CPU at a steady pace.
	Samples []Sample
	// Exits are the threads that ended.
	Exits []Exit
	// Stacks holds every stack once; Stacks[NoStack] is empty.
	Stacks []Stack
	// Shed is what was left out in a storm of waits.
	Shed Shed
	// Observer is the pid of the process that watched, 0 if unknown. What it does to
	// the target is a cost of watching and nobody's fault.
	Observer int
	Loss     Loss
}

// Stack returns the stack id names, nil if there is none.
func (t *Trace) Stack(id StackID) Stack {
	if id <= NoStack || int(id) >= len(t.Stacks) {
		return nil
	}
	return t.Stacks[id]
}

// Observed returns the pids of the processes the trace tells of: those of which a
// thread waited, was kept from a CPU, or was sampled. Of the threads of others only
// what they did to these is known, and not whether they worked or slept meanwhile.
func (t *Trace) Observed() map[int]bool {
	pids := make(map[ThreadID]int, len(t.Threads))
	for _, thread := range t.Threads {
		pids[thread.ID()] = thread.PID
	}
	seen := make(map[int]bool)
	note := func(id ThreadID) {
		if pid, ok := pids[id]; ok {
			seen[pid] = true
		}
	}
	for i := range t.Waits {
		note(t.Waits[i].Thread)
	}
	for i := range t.Preemptions {
		note(t.Preemptions[i].Thread)
	}
	for i := range t.Samples {
		note(t.Samples[i].Thread)
	}
	return seen
}

// Shed is what was left out of a trace because there was more than it was to cost to tell:
// waits that did not last, for a part of the time.
type Shed struct {
	// Spans are when only waits that last are told; in order, and all within the window.
	Spans []Window
	// Waits is how many waits were left out, and WaitTime how long they took in all.
	Waits    uint64
	WaitTime time.Duration
}

// Told is how long it was in the window that all waits were told.
func (t *Trace) Told() time.Duration {
	told := t.Window.Length()
	for _, s := range t.Shed.Spans {
		told -= s.Length()
	}
	return told
}

// Wait is one sleep of one thread.
type Wait struct {
	Thread   ThreadID
	Resource Resource
	// Begin is when the thread left the CPU, Woken when somebody let it go,
	// Ran when it had a CPU again. From Woken to Ran it waited for a CPU and
	// no longer for the resource. A wait still open has neither.
	Begin, Woken, Ran time.Duration
	Waker             Waker
	// Owner is the tid an owner word named as Begin passed, 0 if none is to be
	// believed. It may be stale by the time the wait ends.
	Owner int
	// Stack is where the thread slept, in user space and in the kernel.
	Stack, KernelStack StackID
	// Occupant is who had the CPU from Woken to Ran for the longest, and Occupied how
	// long that was; 0: not known.
	Occupant ThreadID
	Occupied time.Duration
	// Late is what was found of it at the end of the window, if it is open then.
	Late LateLook
}

// LateLook is what is found at the end of a window of a wait that has not ended, or only
// because its thread did.
type LateLook uint8

// What there is to find; they add up.
const (
	// OwnerRead: Owner was read then.
	OwnerRead LateLook = 1 << iota
	// OwnerGone: and no thread has that tid any more.
	OwnerGone
	// WordChanged: the futex word has long ceased to hold the value for which the thread
	// sleeps, and still nobody has woken it.
	WordChanged
	// Died: nobody let the thread go. It was woken, at Woken, to end.
	Died
)

// Has reports whether l says all that what does.
func (l LateLook) Has(what LateLook) bool { return l&what == what }

// Open reports whether the wait has not ended.
func (w Wait) Open() bool { return w.Woken == 0 }

// Unanswered reports whether what the thread waited for did not come about: the wait is
// open, or was until the thread ended.
func (w Wait) Unanswered() bool { return w.Open() || w.Late.Has(Died) }

// WakerKind says in what context a wake-up was made.
type WakerKind uint8

// The kinds of waker. Only WokenByThread names a thread.
const (
	WakerUnknown WakerKind = iota
	WokenByThread
	WokenByInterrupt // a timer, a device or the network
	WokenByKernel    // a kernel thread, on behalf of one of those
)

// Waker is who ended a wait.
type Waker struct {
	Thread ThreadID
	Stack  StackID
	Kind   WakerKind
	// SameObject says that the waker's own system call was on the object waited
	// for, which makes the wake-up a release beyond doubt.
	SameObject bool
}

// Preemption is a time in which a thread wanted a CPU and had none, other than
// after a wait.
type Preemption struct {
	Thread     ThreadID
	Begin, Ran time.Duration
	Occupant   ThreadID
	Occupied   time.Duration
	Stack      StackID
	// Throttled: the thread's control group had used up its quota, so that whoever had
	// the CPU did not keep the thread from it.
	Throttled bool
}

// Sample says that a thread was on a CPU, and where in its program.
type Sample struct {
	Thread ThreadID
	At     time.Duration
	Stack  StackID
}

// Exit says that a thread has ended.
type Exit struct {
	Thread ThreadID
	At     time.Duration
}

// Loss counts what was not seen, by cause. Every count weakens the findings.
type Loss struct {
	RingFull        uint64 `json:"ring_full"`
	MapFull         uint64 `json:"map_full"`
	StackIncomplete uint64 `json:"stack_incomplete"`
	UnmatchedWake   uint64 `json:"unmatched_wake"`
	// Skipped is how often the kernel did not run a program because it ran already
	// on that CPU.
	Skipped  uint64 `json:"skipped"`
	Detached uint64 `json:"detached"`
	// StackMiss is how many stacks lacked an unwind rule. Most were finished from a
	// copy and are whole; StackIncomplete counts the others.
	StackMiss uint64 `json:"stack_miss"`
}

// Plus adds up two losses.
func (l Loss) Plus(other Loss) Loss {
	return Loss{
		RingFull:        l.RingFull + other.RingFull,
		MapFull:         l.MapFull + other.MapFull,
		StackIncomplete: l.StackIncomplete + other.StackIncomplete,
		UnmatchedWake:   l.UnmatchedWake + other.UnmatchedWake,
		Skipped:         l.Skipped + other.Skipped,
		Detached:        l.Detached + other.Detached,
		StackMiss:       l.StackMiss + other.StackMiss,
	}
}

// Since is what was lost after earlier, a count of the same sum.
func (l Loss) Since(earlier Loss) Loss {
	return Loss{
		RingFull:        l.RingFull - earlier.RingFull,
		MapFull:         l.MapFull - earlier.MapFull,
		StackIncomplete: l.StackIncomplete - earlier.StackIncomplete,
		UnmatchedWake:   l.UnmatchedWake - earlier.UnmatchedWake,
		Skipped:         l.Skipped - earlier.Skipped,
		Detached:        l.Detached - earlier.Detached,
		StackMiss:       l.StackMiss - earlier.StackMiss,
	}
}

// Events is how many events were lost, as opposed to seen in part.
func (l Loss) Events() uint64 { return l.RingFull + l.MapFull + l.Skipped + l.Detached }

// Sort puts waits and preemptions into the order of their beginning; those that
// begin together are ordered by thread.
func (t *Trace) Sort() {
	slices.SortFunc(t.Waits, func(a, b Wait) int { return compareAt(a.Begin, b.Begin, a.Thread, b.Thread) })
	slices.SortFunc(t.Preemptions, func(a, b Preemption) int { return compareAt(a.Begin, b.Begin, a.Thread, b.Thread) })
}

func compareAt(a, b time.Duration, x, y ThreadID) int {
	if a != b {
		return int(min(max(a-b, -1), 1))
	}
	return x.Compare(y)
}
