// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func TestCensorLeavesWhatWasKnownAtTheEnd(t *testing.T) {
	waker := contention.Waker{Kind: contention.WokenByThread, Thread: contention.ThreadID{TID: 9}}
	wait := func(begin, woken, ran time.Duration) contention.Wait {
		w := contention.Wait{Begin: begin, Woken: woken, Ran: ran, Owner: 7}
		if woken > 0 {
			w.Waker, w.Occupant = waker, contention.ThreadID{TID: 8}
		}
		return w
	}
	trace := &contention.Trace{
		Window: contention.Window{Begin: 1000, End: 2000},
		Waits: []contention.Wait{
			wait(900, 1100, 1101), // ended before
			wait(1500, 2000, 2050),
			wait(1500, 2001, 2002), // ended after
			wait(1600, 0, 0),
			wait(2000, 2100, 2101), // began after
		},
		Preemptions: []contention.Preemption{{Begin: 1990, Ran: 2010}, {Begin: 2000, Ran: 2001}},
	}
	censor(trace)
	assert.Equal(t, []contention.Wait{
		wait(900, 1100, 1101), wait(1500, 2000, 2050), wait(1500, 0, 0), wait(1600, 0, 0),
	}, trace.Waits)
	assert.Equal(t, []contention.Preemption{{Begin: 1990, Ran: 2010}}, trace.Preemptions)
	assert.NotPanics(t, func() { censor(nil) })

	lock := contention.Resource{Kind: contention.Mutex, Address: 1}
	other := contention.Resource{Kind: contention.Mutex, Address: 2}
	trace.Waits = []contention.Wait{
		{Resource: lock, Begin: 1500, Woken: 2001},
		{Resource: lock, Begin: 1600, Owner: 7, Late: contention.OwnerRead},
		{Resource: other, Begin: 1600, Owner: 7, Late: contention.OwnerRead},
	}
	censor(trace)
	assert.Zero(t, trace.Waits[1].Late, "the lock was passed on before its word was read")
	assert.Equal(t, contention.OwnerRead, trace.Waits[2].Late)
}
