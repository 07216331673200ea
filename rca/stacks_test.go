// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestHoldingStacks(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 9)
	const (
		asleep contention.StackID = iota + 1
		working
		alsoWorking
		elsewhere
		letGo
		wanting
	)
	for i := range 7 {
		s.Stacks = append(s.Stacks, contention.Stack{{Function: string(rune('a' + i))}})
	}
	s.Stacks[0] = nil
	// 1 holds from 0 to 500: sleeps for 100, wants a CPU for 50, and runs for 350.
	s.wait(1, sleep(1), 100*ms, 200*ms, stack(asleep))
	s.preempted(1, 0, 300*ms, 350*ms)
	s.Preemptions[0].Occupant, s.Preemptions[0].Stack = contention.ThreadID{}, wanting
	s.wait(2, mutex(1), 0, 500*ms, by(1), func(w *contention.Wait) { w.Waker.Stack = letGo })
	// What it does without the lock is not shown.
	s.wait(1, sleep(1), 600*ms, 900*ms, stack(elsewhere))
	sample := func(thread int, at time.Duration, stack contention.StackID) {
		s.Samples = append(s.Samples, contention.Sample{Thread: id(thread), At: origin + at*ms, Stack: stack})
	}
	sample(1, 10, working)
	sample(1, 250, working)
	sample(1, 260, working)
	sample(1, 400, alsoWorking)
	sample(1, 410, alsoWorking)
	sample(1, 550, elsewhere)
	sample(2, 10, elsewhere)
	sample(1, 420, 0)

	got := s.analyze()
	require.Equal(t, []string{"lock-holder 1"}, told(got))
	assert.Equal(t, []contention.WeightedStack{
		{Role: contention.HoldingOnCPU, Weight: 210 * ms, Frames: s.Stacks[working]},
		{Role: contention.HoldingOnCPU, Weight: 140 * ms, Frames: s.Stacks[alsoWorking]},
		{Role: contention.HoldingOffCPU, Weight: 100 * ms, Frames: s.Stacks[asleep]},
		{Role: contention.HoldingRunnable, Weight: 50 * ms, Frames: s.Stacks[wanting]},
		{Role: contention.ReleaseStack, Weight: 500 * ms, Frames: s.Stacks[letGo]},
	}, got.Findings[0].Stacks)
}

func TestAHotLockShowsWhereItIsHeld(t *testing.T) {
	s := convoy(mutex(1), 10, 20*ms, 20*ms, 20*ms)
	s.Stacks = []contention.Stack{nil, {{Function: "unlock"}}}
	for i := range s.Waits {
		if s.Waits[i].Waker.Kind == contention.WokenByThread {
			s.Waits[i].Waker.Stack = 1
		}
	}
	got := s.analyze()
	require.Equal(t, []string{"contended"}, told(got))
	require.Len(t, got.Findings[0].Stacks, 1)
	assert.Equal(t, contention.ReleaseStack, got.Findings[0].Stacks[0].Role)
	assert.Nil(t, got.Findings[0].Culprit)
	assert.Len(t, got.Findings[0].Victims, 3)
}

func TestAtMostSoManyStacks(t *testing.T) {
	s := newScene(1000*ms, 1, 2)
	s.Stacks = []contention.Stack{nil}
	s.wait(2, mutex(1), 0, 900*ms, by(1))
	for i := 1; i <= 3*maxStacks; i++ {
		s.Stacks = append(s.Stacks, contention.Stack{{Address: contention.Address(i)}})
		s.wait(1, sleep(1), time.Duration(10*i)*ms, time.Duration(10*i+i%10)*ms, stack(contention.StackID(i)))
	}
	got := s.analyze()
	require.Len(t, got.Findings[0].Stacks, maxStacks)
	for _, w := range got.Findings[0].Stacks[:3] {
		assert.Equal(t, 9*ms, w.Weight, "the longest first")
	}
}

func TestSamplesOfOneLoopAreOneStack(t *testing.T) {
	s := newScene(1000*ms, 1, 2)
	at := func(function string, address contention.Address) contention.Stack {
		return contention.Stack{{Function: function, Address: address}, {Function: "main", Address: 0x100}}
	}
	s.Stacks = []contention.Stack{nil, at("work", 0x10), at("work", 0x18), at("work", 0x18), at("", 0x20), at("", 0x28)}
	s.wait(2, mutex(1), 0, 900*ms, by(1))
	for _, stack := range []contention.StackID{1, 2, 3, 3, 4, 5} {
		s.Samples = append(s.Samples, contention.Sample{Thread: id(1), At: origin + 100*ms, Stack: stack})
	}
	got := s.analyze().Findings[0].Stacks
	require.Len(t, got, 3)
	assert.Equal(t, contention.WeightedStack{Role: contention.HoldingOnCPU, Weight: 600 * ms, Frames: s.Stacks[3]}, got[0])
	assert.Equal(t, s.Stacks[4], got[1].Frames, "what has no name is told apart")
	assert.Equal(t, s.Stacks[5], got[2].Frames)
}
