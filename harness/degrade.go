// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"math/rand/v2"
	"slices"

	"github.com/os2026/ebpf-rca/contention"
)

// A loss is a way in which less is seen than there was.
type loss struct {
	name string
	// inflict takes things out of a trace that is its own.
	inflict func(*contention.Trace, *rand.Rand)
}

// losses are those that an analysis is tried with.
var losses = []loss{
	{"lost-tenth", losing(0.1)},
	{"lost-third", losing(1.0 / 3)},
	{"no-owners", loseOwners},
	{"no-stacks", loseStacks},
	{"lost-wakers", loseWakers},
}

// lostWakers is the share of wakers that are lost.
const lostWakers = 0.3

// Degraded are analysers that do what a does, each with a trace of which something was
// lost: a tenth or a third of the events, owner words, stacks, three in ten wakers. What is lost
// follows from the trace, so that the answer to it is always the same. Their names are
// NAME@LOSS.
func Degraded(a Analyzer) []Analyzer {
	list := make([]Analyzer, len(losses))
	for i, l := range losses {
		list[i] = Analyzer{Name: a.Name + "@" + l.name, Analyze: func(t *contention.Trace) contention.Analysis {
			return a.Analyze(degrade(t, l))
		}}
	}
	return list
}

func degrade(t *contention.Trace, l loss) *contention.Trace {
	less := *t
	less.Waits, less.Preemptions = slices.Clone(t.Waits), slices.Clone(t.Preemptions)
	l.inflict(&less, rand.New(rand.NewPCG(uint64(t.Window.Begin), uint64(len(t.Waits)))))
	return &less
}

// losing loses a share of all events.
func losing(share float64) func(*contention.Trace, *rand.Rand) {
	return func(t *contention.Trace, random *rand.Rand) {
		seen := len(t.Waits) + len(t.Preemptions)
		t.Waits = slices.DeleteFunc(t.Waits, func(contention.Wait) bool { return random.Float64() < share })
		t.Preemptions = slices.DeleteFunc(t.Preemptions, func(contention.Preemption) bool { return random.Float64() < share })
		t.Loss.RingFull += uint64(seen - len(t.Waits) - len(t.Preemptions))
	}
}

// loseOwners also takes what was found of open waits: it was found in the same words.
func loseOwners(t *contention.Trace, _ *rand.Rand) {
	for i := range t.Waits {
		t.Waits[i].Owner = 0
		t.Waits[i].Late &= contention.Died
	}
}

// loseStacks also takes the kinds that only a stack tells.
func loseStacks(t *contention.Trace, _ *rand.Rand) {
	for i := range t.Waits {
		w := &t.Waits[i]
		w.Stack, w.KernelStack, w.Waker.Stack = contention.NoStack, contention.NoStack, contention.NoStack
		if toldByStack(w.Resource.Kind) {
			w.Resource.Kind = contention.Futex
		}
		t.Loss.StackIncomplete++
	}
	t.Samples = nil
}

func toldByStack(k contention.Kind) bool {
	switch k {
	case contention.RWLock, contention.CondVar, contention.Semaphore, contention.Barrier, contention.Monitor:
		return true
	default:
		return false
	}
}

func loseWakers(t *contention.Trace, random *rand.Rand) {
	for i := range t.Waits {
		if w := &t.Waits[i]; !w.Open() && random.Float64() < lostWakers {
			w.Waker = contention.Waker{}
			t.Loss.UnmatchedWake++
		}
	}
}
