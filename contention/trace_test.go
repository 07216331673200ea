// SPDX-License-Identifier: Apache-2.0

package contention

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestStack(t *testing.T) {
	trace := Trace{Stacks: []Stack{nil, {{Function: "f"}}}}
	assert.Equal(t, Stack{{Function: "f"}}, trace.Stack(1))
	for _, id := range []StackID{NoStack, -1, 2, 1 << 30} {
		assert.Nil(t, trace.Stack(id), "%d", id)
	}
	assert.Nil(t, (&Trace{}).Stack(NoStack))
}

func TestObserved(t *testing.T) {
	trace := Trace{
		Threads: []Thread{
			{PID: 1, TID: 10}, {PID: 1, TID: 11}, {PID: 2, TID: 20}, {PID: 3, TID: 30}, {PID: 4, TID: 40}, {PID: 5, TID: 50},
		},
		Waits:       []Wait{{Thread: ThreadID{TID: 10}, Waker: Waker{Kind: WokenByThread, Thread: ThreadID{TID: 40}}}},
		Preemptions: []Preemption{{Thread: ThreadID{TID: 20}, Occupant: ThreadID{TID: 50}}},
		Samples:     []Sample{{Thread: ThreadID{TID: 30}}, {Thread: ThreadID{TID: 99}}},
	}
	assert.Equal(t, map[int]bool{1: true, 2: true, 3: true}, trace.Observed(), "not who only wakes or occupies")
}

func TestSort(t *testing.T) {
	id := func(tid int) ThreadID { return ThreadID{TID: tid} }
	trace := Trace{
		Waits:       []Wait{{Thread: id(2), Begin: 5}, {Thread: id(1), Begin: 5}, {Thread: id(9), Begin: 1}},
		Preemptions: []Preemption{{Thread: id(2), Begin: 5}, {Thread: id(1), Begin: 5}, {Thread: id(9), Begin: 1}},
	}
	trace.Sort()
	assert.Equal(t, []Wait{{Thread: id(9), Begin: 1}, {Thread: id(1), Begin: 5}, {Thread: id(2), Begin: 5}}, trace.Waits)
	assert.Equal(t, []Preemption{{Thread: id(9), Begin: 1}, {Thread: id(1), Begin: 5}, {Thread: id(2), Begin: 5}}, trace.Preemptions)
}

func TestOpen(t *testing.T) {
	assert.True(t, Wait{Begin: 5}.Open())
	assert.False(t, Wait{Begin: 5, Woken: 6}.Open())
}

func TestThreadIDCompare(t *testing.T) {
	ordered := []ThreadID{{}, {TID: 1}, {TID: 1, Start: 1}, {TID: 1, Start: time.Duration(1) << 60}, {TID: 2}}
	shuffled := []ThreadID{ordered[3], ordered[4], ordered[0], ordered[2], ordered[1]}
	slices.SortFunc(shuffled, ThreadID.Compare)
	assert.Equal(t, ordered, shuffled)
	assert.True(t, ordered[0].IsZero())
	assert.False(t, ordered[1].IsZero())
	assert.Equal(t, ThreadID{TID: 7, Start: 8}, Thread{PID: 1, TID: 7, Start: 8, Comm: "x"}.ID())
}

func TestLossEvents(t *testing.T) {
	assert.Equal(t, uint64(1+2+16), Loss{RingFull: 1, MapFull: 2, StackIncomplete: 4, UnmatchedWake: 8, Detached: 16}.Events())
}
