// SPDX-License-Identifier: Apache-2.0

package contention

import "time"

// Class says what a finding holds against its culprit.
type Class string

// Classes that accuse.
const (
	LockHolder       Class = "lock-holder"
	KernelLockHolder Class = "kernel-lock-holder"
	SlowProducer     Class = "slow-producer"
	SlowConsumer     Class = "slow-consumer"
	Straggler        Class = "straggler"
	CPUStarvation    Class = "cpu-starvation"
	Deadlock         Class = "deadlock"
	LostWakeup       Class = "lost-wakeup"
)

// Classes that inform and accuse nobody. They rank after every accusation.
const (
	Contended Class = "contended"
	IO        Class = "io"
	External  Class = "external"
)

// Accuses reports whether a finding of class c holds a thread responsible.
func (c Class) Accuses() bool {
	switch c {
	case Contended, IO, External:
		return false
	default:
		return true
	}
}

// Finding is one cause of waiting.
type Finding struct {
	Rank  int   `json:"rank"` // from 1
	Class Class `json:"class"`
	// Confidence is in 0..1 and falls with what was not seen.
	Confidence float64       `json:"confidence"`
	Blame      time.Duration `json:"blame_ns"`
	// Share is Blame over all waiting that is neither external nor open, in 0..1.
	Share float64 `json:"share"`
	// Culprit is nil where no one thread is at fault.
	Culprit *Thread `json:"culprit"`
	// Culprits lists all of several; Culprit is then the first of them.
	Culprits []Thread        `json:"culprits"`
	Resource Resource        `json:"resource"`
	Stacks   []WeightedStack `json:"stacks"`
	Victims  []Victim        `json:"victims"`
	Chain    []Hop           `json:"chain"`
}

// Accused lists the threads that f holds responsible, none where it accuses nobody.
func (f Finding) Accused() []Thread {
	switch {
	case !f.Class.Accuses():
		return nil
	case len(f.Culprits) > 0:
		return f.Culprits
	case f.Culprit != nil:
		return []Thread{*f.Culprit}
	default:
		return nil
	}
}

// Role says what a stack of the culprit shows.
type Role string

// The roles of a stack.
const (
	HoldingOnCPU    Role = "holding-oncpu"
	HoldingOffCPU   Role = "holding-offcpu"
	HoldingRunnable Role = "holding-runnable"
	ReleaseStack    Role = "release"
)

// WeightedStack is a stack of the culprit and the time it stood for.
type WeightedStack struct {
	Role   Role          `json:"role"`
	Weight time.Duration `json:"weight_ns"`
	Frames Stack         `json:"frames"`
}

// Victim is a thread that was made to wait.
type Victim struct {
	Thread
	Wait  time.Duration `json:"wait_ns"`
	Count int           `json:"count"`
	Stack Stack         `json:"stack,omitempty"`
}

// Evidence is how a hop of a chain is known.
type Evidence string

// The kinds of evidence.
const (
	ByRelease Evidence = "release"
	ByOwner   Evidence = "owner"
	ByWaker   Evidence = "waker"
	ByCPU     Evidence = "cpu"
)

// Hop is one step of the way from a victim to the culprit.
type Hop struct {
	Waiter   int           `json:"waiter"`
	Holder   int           `json:"holder"`
	Resource Resource      `json:"resource"`
	Wait     time.Duration `json:"wait_ns"`
	Evidence Evidence      `json:"evidence"`
}

// Totals add up everything waited in a window: WaitTime is Blame + External +
// Open, to the nanosecond.
type Totals struct {
	Waits    int                `json:"waits"`
	WaitTime time.Duration      `json:"wait_ns"`
	Blame    time.Duration      `json:"blame_ns"`
	External time.Duration      `json:"external_ns"`
	Open     time.Duration      `json:"open_ns"`
	ByKind   map[Kind]KindTotal `json:"by_kind"`
}

// KindTotal is what was waited for one kind of resource.
type KindTotal struct {
	Waits    int           `json:"waits"`
	WaitTime time.Duration `json:"wait_ns"`
}

// Charge is what one thread answers for.
type Charge struct {
	Thread Thread
	Blame  time.Duration
}

// Analysis is what an analyser makes of a trace.
type Analysis struct {
	Findings []Finding
	// Charges is how all blame divides over threads, the accused and the rest,
	// most first.
	Charges []Charge
	Totals  Totals
}
