// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// agreement compares what the threads say they waited with what was seen of it. A
// thread's own account of a wait goes on until it has a CPU again, so the time in
// which it lacked one, by the kernel's own count, is taken out of it. What is seen is
// all that these threads were blocked on the objects that the ledger names.
func agreement(l *ledger.Ledger, t *contention.Trace) results.Agreement {
	if t == nil {
		return results.Agreement{}
	}
	sum := results.Agreement{Threads: len(l.Threads)}
	known := make(map[contention.ThreadID]bool)
	for _, thread := range l.Threads {
		known[tick(thread.ID())] = true
		waited := waitingOf(l, thread)
		sum.Ledger += waited - min(waited, thread.RunDelay)
	}
	for _, w := range t.Waits {
		if known[tick(w.Thread)] && l.Names(w.Resource) {
			sum.Seen += blockedIn(w, l.Window())
		}
	}
	return sum
}

// blockedIn is how long a wait lasted within the window, until somebody ended it.
func blockedIn(w contention.Wait, window contention.Window) time.Duration {
	end := w.Woken
	if w.Open() {
		end = window.End
	}
	return max(0, min(end, window.End)-max(w.Begin, window.Begin))
}

// tick cuts a thread's start to what a ledger knows of it.
func tick(id contention.ThreadID) contention.ThreadID {
	id.Start = id.Start.Truncate(ledger.StartTick)
	return id
}

// waitingOf is how long a thread says it waited within the window, for what the
// ledger can name: a program knows neither the address of a kernel lock nor that of a
// thread's end.
func waitingOf(l *ledger.Ledger, t ledger.Thread) time.Duration {
	var sum time.Duration
	for _, e := range t.Entries {
		part, inside := e.Clip(l.Window())
		if inside && e.Kind == ledger.Waiting && l.Names(l.Resources[e.Resource].Resource) {
			sum += part.Length()
		}
	}
	return sum
}
