// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

func TestAgreement(t *testing.T) {
	const ms = time.Millisecond
	lock := contention.Resource{Kind: contention.Mutex, Address: 0x10, PID: 1}
	thread := contention.Thread{PID: 1, TID: 2, Start: 30 * ms}
	l := &ledger.Ledger{
		Go: 100 * ms, Stop: 200 * ms,
		Resources: []ledger.Resource{{Resource: lock}, {Resource: contention.Resource{Kind: contention.KernelRWSem}}},
		Threads: []ledger.Thread{
			{Thread: thread, RunDelay: 6 * ms, Entries: []ledger.Entry{
				{Kind: ledger.Waiting, Begin: 90 * ms, End: 120 * ms}, // 20 in the window
				{Kind: ledger.Holding, Begin: 120 * ms, End: 130 * ms},
				{Kind: ledger.Waiting, Begin: 140 * ms, End: 160 * ms},
				{Kind: ledger.Waiting, Begin: 170 * ms, End: 180 * ms, Resource: 1}, // the ledger cannot name it
				{Kind: ledger.Waiting, Begin: 190 * ms},                             // 10, open
			}},
			{Thread: contention.Thread{PID: 1, TID: 3}, RunDelay: 50 * ms}, // waited for a CPU only
		},
	}
	seen := contention.ThreadID{TID: 2, Start: 37 * ms} // the same tick
	other := contention.ThreadID{TID: 2, Start: 51 * ms}
	trace := &contention.Trace{Waits: []contention.Wait{
		{Thread: seen, Resource: lock, Begin: 90 * ms, Woken: 115 * ms, Ran: 120 * ms},
		{Thread: seen, Resource: contention.Resource{Kind: contention.Timer, TID: 2}, Begin: 130 * ms, Woken: 138 * ms},
		{Thread: seen, Resource: lock, Begin: 141 * ms, Woken: 160 * ms, Ran: 160 * ms},
		{Thread: seen, Resource: lock, Begin: 190 * ms},
		{Thread: other, Resource: lock, Begin: 100 * ms, Woken: 190 * ms},
	}}
	want := results.Agreement{Ledger: (20 + 20 + 10 - 6) * ms, Seen: (15 + 19 + 10) * ms, Threads: 2}
	assert.Equal(t, want, agreement(l, trace))
	assert.Equal(t, results.Agreement{}, agreement(l, nil))

	// What was not seen is missed, and what was seen too much is told too.
	trace.Waits[2].Woken = 142 * ms
	assert.Equal(t, (15+1+10)*ms, agreement(l, trace).Seen)
	trace.Waits[4].Thread = seen
	assert.Equal(t, (15+1+10+90)*ms, agreement(l, trace).Seen)
}
