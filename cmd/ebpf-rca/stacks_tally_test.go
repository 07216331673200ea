// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/rca"
)

// shortestStacked is how long a wait must last for its waker's stack to be taken.
const shortestStacked = 10 * time.Microsecond

// share is so many of so many.
type share struct{ part, of int }

func (s *share) add(yes bool, n int) {
	s.of += n
	if yes {
		s.part += n
	}
}

func (s share) plus(other share) share { return share{s.part + other.part, s.of + other.of} }

func (s share) value() float64 { return float64(s.part) / float64(max(1, s.of)) }

func (s share) String() string {
	if s.of == 0 {
		return "none"
	}
	return fmt.Sprintf("%.2f %%", 100*s.value())
}

// stackTally is how right the stacks of some traces are.
type stackTally struct {
	waiters, releasers        share // the direct caller is right
	whole, guessed, truncated share // of both
	// accused is the windows in which the first finding accuses the culprit. held is for
	// how long it is shown to hold, less where it was about to let go, and shown is what
	// of this shows the injected function.
	accused     share
	held, shown time.Duration
	loss        contention.Loss
	wrong       []string // some of the stacks that are not right
}

const wrongShown = 4

// waitedFor are the kinds of what the programs of testdata/stacks take turns at.
var waitedFor = []contention.Kind{
	contention.Mutex, contention.RWLock, contention.CondVar, contention.Semaphore, contention.Barrier,
	contention.Futex, contention.Pipe,
}

// sight is a stack as the part of one thread shows it. A trace has many of few.
type sight struct {
	stack     contention.StackID
	tid       int // of the part
	releasing bool
}

// tallyStacks judges the stacks of all waits that began in the trace's window.
func tallyStacks(trace *contention.Trace, parts cast, j judge) stackTally {
	c := stackTally{loss: trace.Loss}
	sights := sightsOf(trace, parts)
	for _, s := range slices.SortedFunc(maps.Keys(sights), func(a, b sight) int {
		return cmp.Or(sights[b]-sights[a], int(a.stack-b.stack), a.tid-b.tid)
	}) {
		if p := parts[s.tid]; s.releasing {
			c.releasers.add(c.judge(j, trace.Stack(s.stack), p.Entry, p.Releases, sights[s]), sights[s])
		} else {
			c.waiters.add(c.judge(j, trace.Stack(s.stack), p.Entry, p.Waits, sights[s]), sights[s])
		}
	}
	return c
}

// sightsOf counts what is to be judged.
func sightsOf(trace *contention.Trace, parts cast) map[sight]int {
	sights := make(map[sight]int)
	for _, w := range trace.Waits {
		p, known := parts.of(w.Thread.TID)
		if !known || w.Begin < trace.Window.Begin || !slices.Contains(waitedFor, w.Resource.Kind) {
			continue
		}
		sights[sight{w.Stack, p.TID, false}]++
		if w.Waker.Kind != contention.WokenByThread || w.Woken-w.Begin < shortestStacked {
			continue
		}
		if p, known := parts.of(w.Waker.Thread.TID); known {
			sights[sight{w.Waker.Stack, p.TID, true}]++
		}
	}
	return sights
}

// judge counts a stack that was seen n times and reports whether one of the sites is
// its direct caller.
func (c *stackTally) judge(j judge, stack contention.Stack, entry string, sites []string, n int) bool {
	whole := j.whole(stack, entry)
	right := slices.Contains(sites, j.caller(stack))
	c.whole.add(whole, n)
	c.guessed.add(slices.ContainsFunc(stack, func(f contention.Frame) bool { return f.Guessed }), n)
	c.truncated.add(slices.ContainsFunc(stack, func(f contention.Frame) bool { return f.Truncated }), n)
	if !(whole && right) && len(c.wrong) < wrongShown {
		c.wrong = append(c.wrong, fmt.Sprintf("%d times want %v … %s, have %s", n, sites, entry, stackLine(stack)))
	}
	return right
}

// explain asks the analysis for the culprit and looks at what it is shown to do.
func (c *stackTally) explain(trace *contention.Trace, culprit part, j judge) {
	findings := rca.Analyze(trace, rca.Options{}).Findings
	if len(findings) == 0 || !findings[0].Class.Accuses() || findings[0].Culprit == nil {
		c.accused.add(false, 1)
		return
	}
	c.accused.add(findings[0].Culprit.TID == culprit.TID, 1)
	for _, s := range findings[0].Stacks {
		lettingGo := slices.ContainsFunc(culprit.Releases, func(site string) bool { return j.shows(s.Frames, site) })
		if s.Role == contention.ReleaseStack || lettingGo {
			continue
		}
		c.held += s.Weight
		if j.shows(s.Frames, j.injected) {
			c.shown += s.Weight
		}
	}
}

// atWork is how much of the culprit's time shows what it did, in 0..1.
func (c stackTally) atWork() float64 { return float64(c.shown) / float64(max(1, c.held)) }

// lacksStacks reports whether there are fewer stacks than a share is to stand on.
func lacksStacks(c stackTally) bool { return min(c.waiters.of, c.releasers.of) < enoughStacks }

func (c stackTally) plus(o stackTally) stackTally {
	wrong := slices.Concat(c.wrong, o.wrong)
	return stackTally{
		waiters: c.waiters.plus(o.waiters), releasers: c.releasers.plus(o.releasers),
		whole: c.whole.plus(o.whole), guessed: c.guessed.plus(o.guessed), truncated: c.truncated.plus(o.truncated),
		accused: c.accused.plus(o.accused), held: c.held + o.held, shown: c.shown + o.shown,
		loss: c.loss.Plus(o.loss), wrong: wrong[:min(len(wrong), wrongShown)],
	}
}

// stackLine writes a stack on one line.
func stackLine(stack contention.Stack) string {
	if len(stack) == 0 {
		return "no stack"
	}
	frames := make([]string, len(stack))
	for i, f := range stack {
		name := f.Function
		if name == "" {
			name = fmt.Sprintf("%s+%v", f.Module, f.Offset)
		}
		frames[i] = name + map[bool]string{true: "?"}[f.Guessed] + map[bool]string{true: "…"}[f.Truncated]
	}
	return strings.Join(frames, " < ")
}

func TestTallyOfStacks(t *testing.T) {
	const culprit, victim, stranger = 1, 2, 3
	parts := cast{
		culprit: {TID: culprit, Culprit: true, Entry: "culprit_thread", Waits: []string{"wait_mutex_c"}, Releases: []string{"release_mutex_c"}},
		victim:  {TID: victim, Entry: "waiter_thread", Waits: []string{"wait_mutex_a"}, Releases: []string{"release_mutex_a"}},
	}
	own := func(names ...string) contention.Stack {
		var s contention.Stack
		for _, name := range names {
			s = append(s, contention.Frame{Function: name, Module: "p"})
		}
		return s
	}
	cut := own("wait_mutex_a", "waiter_turn")
	cut[0].Guessed, cut[1].Truncated = true, true
	trace := &contention.Trace{
		Window: contention.Window{Begin: time.Second, End: 2 * time.Second},
		Stacks: []contention.Stack{nil, own("wait_mutex_a", "waiter_thread"), own("release_mutex_c", "culprit_thread"), own("wait_mutex_b", "waiter_thread"), cut},
	}
	wait := func(begin, length time.Duration, tid int, stack contention.StackID, waker int, wakerStack contention.StackID, kind contention.Kind) {
		trace.Waits = append(trace.Waits, contention.Wait{
			Thread: contention.ThreadID{TID: tid}, Resource: contention.Resource{Kind: kind}, Begin: begin, Woken: begin + length, Stack: stack,
			Waker: contention.Waker{Kind: contention.WokenByThread, Thread: contention.ThreadID{TID: waker}, Stack: wakerStack},
		})
	}
	const long, at = time.Millisecond, time.Second
	wait(at, long, victim, 1, culprit, 2, contention.Mutex)                            // both right
	wait(at, long, victim, 3, culprit, contention.NoStack, contention.Futex)           // another's site; no stack
	wait(at, long, victim, 4, stranger, 2, contention.Mutex)                           // cut short; a waker without a part
	wait(at, 5*time.Microsecond, victim, 1, culprit, contention.NoStack, "mutex")      // too short for the waker's
	wait(at, long, victim, contention.NoStack, victim, contention.NoStack, "timer")    // a sleep
	wait(at, long, stranger, contention.NoStack, culprit, contention.NoStack, "mutex") // not a part
	wait(at-1, long, victim, 3, culprit, 3, contention.Mutex)                          // began before

	c := tallyStacks(trace, parts, judge{own: ownInC, module: "p"})
	assert.Equal(t, share{3, 4}, c.waiters)
	assert.Equal(t, share{1, 2}, c.releasers)
	assert.Equal(t, share{4, 6}, c.whole)
	assert.Equal(t, share{1, 6}, c.guessed)
	assert.Equal(t, share{1, 6}, c.truncated)
	assert.Equal(t, []string{
		"1 times want [release_mutex_c] … culprit_thread, have no stack",
		"1 times want [wait_mutex_a] … waiter_thread, have wait_mutex_b < waiter_thread",
		"1 times want [wait_mutex_a] … waiter_thread, have wait_mutex_a? < waiter_turn…",
	}, c.wrong)

	twice := c.plus(c)
	assert.Equal(t, share{6, 8}, twice.waiters)
	assert.Equal(t, share{2, 4}, twice.releasers)
	assert.Equal(t, share{8, 12}, twice.whole)
	assert.Len(t, twice.wrong, wrongShown)
	assert.True(t, lacksStacks(twice))
}

// The culprit holds for two seconds, of which one in the injected function and one while
// it lets go.
func TestTallyOfTheCulpritAtWork(t *testing.T) {
	id := func(tid int) contention.ThreadID { return contention.ThreadID{TID: tid} }
	at := func(function string) contention.Stack { return contention.Stack{{Function: function, Module: "p"}} }
	trace := &contention.Trace{
		Window:  contention.Window{Begin: 1, End: 10 * time.Second},
		Threads: []contention.Thread{{PID: 1, TID: 1}, {PID: 1, TID: 2}},
		Stacks:  []contention.Stack{nil, at("hold_working"), at("release_mutex_c")},
	}
	sleep := contention.Resource{Kind: contention.Timer, TID: 1}
	lock := contention.Resource{Kind: contention.Mutex, Address: 8, PID: 1}
	for i := range time.Duration(4) {
		begin := (2*i + 1) * time.Second
		trace.Waits = append(trace.Waits,
			contention.Wait{Thread: id(2), Resource: lock, Begin: begin, Woken: begin + time.Second, Ran: begin + time.Second,
				Waker: contention.Waker{Kind: contention.WokenByThread, Thread: id(1), SameObject: true}},
			contention.Wait{Thread: id(1), Resource: sleep, Begin: begin, Woken: begin + 500*time.Millisecond, Ran: begin + 500*time.Millisecond,
				Waker: contention.Waker{Kind: contention.WokenByInterrupt}, Stack: 1},
			contention.Wait{Thread: id(1), Resource: sleep, Begin: begin + 500*time.Millisecond, Woken: begin + 900*time.Millisecond, Ran: begin + 900*time.Millisecond,
				Waker: contention.Waker{Kind: contention.WokenByInterrupt}, Stack: 2})
	}
	trace.Sort()
	culprit := part{TID: 1, Culprit: true, Releases: []string{"release_mutex_c"}}
	var c stackTally
	c.explain(trace, culprit, judge{own: ownInC, injected: holdInC, module: "p"})
	assert.Equal(t, share{1, 1}, c.accused)
	assert.Equal(t, 2*time.Second, c.held, "less where it lets go")
	assert.InDelta(t, 1, c.atWork(), 1e-9)

	c.explain(trace, part{TID: 2}, judge{own: ownInC, injected: "another", module: "p"})
	assert.Equal(t, share{1, 2}, c.accused)
	assert.Equal(t, 2*time.Second, c.shown, "nothing is added")
	c.explain(&contention.Trace{}, culprit, judge{})
	assert.Equal(t, share{1, 3}, c.accused, "quiet")
}
