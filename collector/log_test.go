// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

// variedWait is a wait that differs from those of other n in every field.
func variedWait(n int) contention.Wait {
	at := time.Duration(n)
	return contention.Wait{
		Thread:   contention.ThreadID{TID: n, Start: at},
		Resource: contention.Resource{Kind: contention.Mutex, Address: contention.Address(n), PID: 1, Symbol: "x"},
		Begin:    at, Woken: at + 1, Ran: at + 2,
		Waker: contention.Waker{
			Kind: contention.WokenByThread, Thread: contention.ThreadID{TID: n + 1, Start: at},
			SameObject: n%2 == 0, Stack: contention.StackID(n),
		},
		Owner: n + 3, Late: contention.LateLook(n % 8), Stack: contention.StackID(n + 1), KernelStack: contention.StackID(n + 2),
		Occupant: contention.ThreadID{TID: n + 4, Start: at}, Occupied: at + 5,
	}
}

func TestLogGivesBackWhatItWasGiven(t *testing.T) {
	log := newEventLog()
	var want, got contention.Trace
	for i := range 2*chunkLength + 1 {
		w := variedWait(1 + i%1000)
		p := contention.Preemption{Thread: w.Thread, Begin: w.Begin, Ran: w.Ran, Occupant: w.Occupant, Occupied: w.Occupied, Stack: w.Stack, Throttled: i%2 == 0}
		log.addWait(&w)
		log.addPreemption(p)
		want.Waits, want.Preemptions = append(want.Waits, w), append(want.Preemptions, p)
	}
	log.take(&got)
	assert.Equal(t, want, got)

	log.take(&got)
	assert.Empty(t, got, "each event once")
	assert.Empty(t, log.resources.list, "nor are the tables kept")
}

func TestLogKnowsTheLastWaitOfEachThread(t *testing.T) {
	log := newEventLog()
	for _, begin := range []time.Duration{5, 9, 7} {
		w := contention.Wait{Thread: contention.ThreadID{TID: 1}, Begin: begin}
		log.addWait(&w)
	}
	assert.Equal(t, map[contention.ThreadID]time.Duration{{TID: 1}: 9}, log.lastBegins())
}

func TestLogKnowsWhichWaitsEndedWithTheirThreads(t *testing.T) {
	at := func(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }
	log := newEventLog()
	add := func(tid, begin, ran int, same bool) {
		log.addWait(&contention.Wait{
			Thread: contention.ThreadID{TID: tid}, Begin: at(begin), Woken: at(ran), Ran: at(ran),
			Waker: contention.Waker{Kind: contention.WokenByThread, SameObject: same},
		})
	}
	add(1, 10, 20, false)
	add(1, 30, 100, false)        // killed
	add(2, 30, 100, true)         // let go
	add(3, 30, 50, false)         // went on
	add(4, 30, 100, false)        // lives
	log.addWait(&contention.Wait{ // for the end of another, and ended then itself
		Thread: contention.ThreadID{TID: 5}, Resource: contention.Resource{Kind: contention.Join}, Begin: at(30), Woken: at(100), Ran: at(100),
	})
	log.markDeaths(map[contention.ThreadID]time.Duration{{TID: 1}: at(101), {TID: 2}: at(101), {TID: 3}: at(101), {TID: 5}: at(101)})
	var trace contention.Trace
	log.take(&trace)
	var died []bool
	for _, w := range trace.Waits {
		died = append(died, w.Unanswered())
	}
	assert.Equal(t, []bool{false, true, false, false, false, false}, died)
}
