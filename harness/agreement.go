// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"cmp"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// agreement compares what the threads say they waited with what was seen of it. A
// thread's own account of a wait goes on until it has a CPU again, so the time in
// which it only lacked a CPU, as it was seen, is taken out of that account.
func agreement(l *ledger.Ledger, t *contention.Trace) results.Agreement {
	if t == nil {
		return results.Agreement{}
	}
	var sum results.Agreement
	blocked, delayed := seenOf(t)
	for _, thread := range l.Threads {
		waits := waitingOf(thread, l.Window())
		id := tick(thread.ID())
		for _, w := range waits {
			sum.Ledger += w.Length()
		}
		sum.Ledger -= overlap(waits, delayed[id])
		sum.Seen += overlap(waits, blocked[id])
	}
	return sum
}

// seenOf lists when each thread was seen blocked, and when it was seen to want a CPU.
func seenOf(t *contention.Trace) (blocked, delayed map[contention.ThreadID][]contention.Window) {
	blocked, delayed = make(map[contention.ThreadID][]contention.Window), make(map[contention.ThreadID][]contention.Window)
	for _, w := range t.Waits {
		id, end := tick(w.Thread), w.Woken
		if w.Open() {
			end = t.Window.End
		}
		blocked[id] = append(blocked[id], contention.Window{Begin: w.Begin, End: end})
		if w.Ran > end {
			delayed[id] = append(delayed[id], contention.Window{Begin: end, End: w.Ran})
		}
	}
	for _, p := range t.Preemptions {
		delayed[tick(p.Thread)] = append(delayed[tick(p.Thread)], contention.Window{Begin: p.Begin, End: p.Ran})
	}
	return blocked, delayed
}

// tick cuts a thread's start to what a ledger knows of it.
func tick(id contention.ThreadID) contention.ThreadID {
	id.Start = id.Start.Truncate(ledger.StartTick)
	return id
}

// waitingOf lists when a thread says it waited within the window.
func waitingOf(t ledger.Thread, w contention.Window) []contention.Window {
	var out []contention.Window
	for _, e := range t.Entries {
		if e.Kind != ledger.Waiting {
			continue
		}
		if part, ok := e.Clip(w); ok {
			out = append(out, part)
		}
	}
	return out
}

// overlap is how much of the spans of a lies in those of b. Within each list spans
// do not overlap.
func overlap(a, b []contention.Window) time.Duration {
	byStart := func(x, y contention.Window) int { return cmp.Compare(x.Begin, y.Begin) }
	slices.SortFunc(a, byStart)
	slices.SortFunc(b, byStart)
	var sum time.Duration
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if d := min(a[i].End, b[j].End) - max(a[i].Begin, b[j].Begin); d > 0 {
			sum += d
		}
		if a[i].End < b[j].End {
			i++
		} else {
			j++
		}
	}
	return sum
}
