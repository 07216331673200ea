// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

const (
	ms = time.Millisecond
	// origin is where the window of a scene begins. Times in scenes count from it.
	origin = 10 * time.Second
	ours   = 100 // the pid of the target
)

// scene builds a trace by hand.
type scene struct{ contention.Trace }

// newScene is an empty trace of a window; threads are of the target.
func newScene(window time.Duration, threads ...int) *scene {
	s := &scene{contention.Trace{Window: contention.Window{Begin: origin, End: origin + window}}}
	s.join(ours, threads...)
	return s
}

// join adds threads of process pid.
func (s *scene) join(pid int, threads ...int) {
	for _, t := range threads {
		s.Threads = append(s.Threads, contention.Thread{PID: pid, TID: t, Comm: fmt.Sprint("w", t), Start: time.Second})
	}
}

func id(tid int) contention.ThreadID { return contention.ThreadID{TID: tid, Start: time.Second} }

// wait adds a wait; how it ended, if not by itself, is said by the options.
func (s *scene) wait(thread int, r contention.Resource, begin, end time.Duration, options ...func(*contention.Wait)) {
	w := contention.Wait{
		Thread: id(thread), Resource: r, Begin: origin + begin, Woken: origin + end, Ran: origin + end,
		Waker: contention.Waker{Kind: contention.WokenByInterrupt},
	}
	for _, o := range options {
		o(&w)
	}
	s.Waits = append(s.Waits, w)
}

// by says that a thread ended the wait by a call on the same object.
func by(thread int) func(*contention.Wait) {
	return func(w *contention.Wait) {
		w.Waker = contention.Waker{Kind: contention.WokenByThread, Thread: id(thread), SameObject: true}
	}
}

// open says that the wait has not ended.
func open(w *contention.Wait) { w.Woken, w.Ran, w.Waker = 0, 0, contention.Waker{} }

func owner(tid int) func(*contention.Wait) { return func(w *contention.Wait) { w.Owner = tid } }

func stack(id contention.StackID) func(*contention.Wait) {
	return func(w *contention.Wait) { w.Stack = id }
}

// preempted keeps a thread from a CPU that another one has.
func (s *scene) preempted(thread, occupant int, begin, end time.Duration) {
	s.Preemptions = append(s.Preemptions, contention.Preemption{
		Thread: id(thread), Begin: origin + begin, Ran: origin + end, Occupant: id(occupant),
	})
}

func mutex(n int) contention.Resource {
	return contention.Resource{Kind: contention.Mutex, Address: contention.Address(n), PID: ours}
}

func futex(n int) contention.Resource {
	return contention.Resource{Kind: contention.Futex, Address: contention.Address(n), PID: ours}
}

func condvar(n int) contention.Resource {
	return contention.Resource{Kind: contention.CondVar, Address: contention.Address(n), PID: ours}
}

// data is what the reader of a pipe waits for, room what the writer does.
func data(n uint64) contention.Resource {
	return contention.Resource{Kind: contention.Pipe, Inode: n, Side: contention.ForData}
}

func room(n uint64) contention.Resource {
	return contention.Resource{Kind: contention.Pipe, Inode: n, Side: contention.ForRoom}
}

func sleep(tid int) contention.Resource {
	return contention.Resource{Kind: contention.Timer, PID: ours, TID: tid}
}

// convoy is a lock that goes round: thread i+1 holds it for holds[i] while all others
// wait, and hands it on. Its window is whole rounds long.
func convoy(r contention.Resource, rounds int, holds ...time.Duration) *scene {
	var round time.Duration
	for _, h := range holds {
		round += h
	}
	s := newScene(time.Duration(rounds) * round)
	since := make([]time.Duration, len(holds)) // each waits since then
	var now time.Duration
	for range rounds {
		for i, h := range holds {
			if i > 0 || now > 0 {
				before := (i + len(holds) - 1) % len(holds)
				s.wait(i+1, r, since[i], now, by(before+1))
			}
			now += h
			since[i] = now
		}
	}
	for i := range holds {
		s.join(ours, i+1)
		if since[i] < now {
			s.wait(i+1, r, since[i], now+holds[0], open)
		}
	}
	s.wait(1, r, since[0], now, by(len(holds)))
	s.Waits = slices.DeleteFunc(s.Waits, func(w contention.Wait) bool { return w.Open() && w.Thread == id(1) })
	return s
}

func (s *scene) analyze() contention.Analysis { return Analyze(&s.Trace, Options{}) }

// told renders findings as "class thread", in order.
func told(a contention.Analysis) []string {
	list := []string{}
	for _, f := range a.Findings {
		text := string(f.Class)
		switch {
		case len(f.Culprits) > 0:
			for _, c := range f.Culprits {
				text += fmt.Sprint(" ", c.TID)
			}
		case f.Culprit != nil:
			text += fmt.Sprint(" ", f.Culprit.TID)
		}
		list = append(list, text)
	}
	return list
}

// charged is the blame of each thread.
func charged(a contention.Analysis) map[int]time.Duration {
	m := map[int]time.Duration{}
	for _, c := range a.Charges {
		m[c.Thread.TID] += c.Blame
	}
	return m
}

type blames = map[int]time.Duration

// assertConserved checks that nothing waited is lost or told twice.
func assertConserved(t *testing.T, a contention.Analysis) bool {
	t.Helper()
	var sum time.Duration
	for _, c := range a.Charges {
		sum += c.Blame
	}
	ok := assert.Equal(t, a.Totals.Blame, sum, "charges add up to the blame")
	ok = assert.Equal(t, a.Totals.WaitTime, a.Totals.Blame+a.Totals.External+a.Totals.Open, "waiting is blame, external and open") && ok
	ok = assert.GreaterOrEqual(t, a.Totals.External, time.Duration(0)) && ok
	ok = assert.GreaterOrEqual(t, a.Totals.Open, time.Duration(0)) && ok
	var byKind time.Duration
	for kind, total := range a.Totals.ByKind {
		if natureOf(kind) != choice {
			byKind += total.WaitTime
		}
	}
	return assert.Equal(t, a.Totals.WaitTime, byKind, "kinds add up to the waiting") && ok
}
