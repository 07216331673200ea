// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// counted is a wait and how much of it is in the window.
type counted struct {
	*contention.Wait
	length   time.Duration
	byThread bool // a thread ended it
}

// period is the waiting in the window of a trace.
type period struct {
	trace  *contention.Trace
	waits  []counted // those that add up, not those by choice
	totals contention.Totals
}

func newPeriod(t *contention.Trace) *period {
	p := &period{trace: t, totals: contention.Totals{ByKind: make(map[contention.Kind]contention.KindTotal)}}
	for i := range t.Waits {
		w := &t.Waits[i]
		length := clip(t.Window, w.Begin, end(t.Window, w))
		if length == 0 {
			continue
		}
		kind := p.totals.ByKind[w.Resource.Kind]
		kind.Waits++
		kind.WaitTime += length
		p.totals.ByKind[w.Resource.Kind] = kind
		if byChoice(w.Resource.Kind) {
			continue
		}
		p.totals.Waits++
		p.totals.WaitTime += length
		if w.Unanswered() {
			p.totals.Open += length
		}
		p.waits = append(p.waits, counted{w, length, w.Waker.Kind == contention.WokenByThread && !w.Unanswered()})
	}
	return p
}

// byChoice reports whether a thread that waits for k sleeps because it wants to.
func byChoice(k contention.Kind) bool {
	return k == contention.Timer || k == contention.Signal || k == contention.Poll
}

// end is when a wait was over, as far as the window shows.
func end(window contention.Window, w *contention.Wait) time.Duration {
	if w.Open() {
		return window.End
	}
	return w.Woken
}

// clip is how much of a stretch of time lies in the window.
func clip(window contention.Window, from, to time.Duration) time.Duration {
	return max(0, min(to, window.End)-max(from, window.Begin))
}
