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
		p := contention.Preemption{Thread: w.Thread, Begin: w.Begin, Ran: w.Ran, Occupant: w.Occupant, Occupied: w.Occupied, Stack: w.Stack}
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
