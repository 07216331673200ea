// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"math"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// sizes are how many rows the tables of a trace have; -1 if the list is nil.
type sizes struct {
	threads, stacks, waits, preemptions, samples, exits int
}

func sizesOf(t *contention.Trace) sizes {
	return sizes{
		counted(t.Threads), counted(t.Stacks), counted(t.Waits), counted(t.Preemptions), counted(t.Samples), counted(t.Exits),
	}
}

// missing is how many events of a trace of these sizes t lacks.
func (s sizes) missing(t *contention.Trace) uint64 {
	return uint64(max(s.waits, 0)-len(t.Waits)) + uint64(max(s.preemptions, 0)-len(t.Preemptions))
}

// header codes all of a capture but the tables of its trace.
func (c *coder) header(h Capture, s sizes) (Capture, sizes) {
	notes := list(c, h.Notes)
	for i := range notes {
		notes[i] = c.text(notes[i])
	}
	return Capture{
		Notes:    notes,
		Target:   Target{PID: number(c, h.Target.PID), Comm: c.text(h.Target.Comm)},
		Kernel:   c.text(h.Kernel),
		MinShare: math.Float64frombits(number(c, math.Float64bits(h.MinShare))),
		Trace: contention.Trace{
			Window:   c.window(h.Trace.Window),
			Observer: number(c, h.Trace.Observer),
			Loss:     c.loss(h.Trace.Loss),
			Shed:     c.shed(h.Trace.Shed),
		},
	}, sizes{c.size(s.threads), c.size(s.stacks), c.size(s.waits), c.size(s.preemptions), c.size(s.samples), c.size(s.exits)}
}

func (c *coder) size(n int) int {
	if n = number(c, n); n < -1 {
		c.corrupt("a table of %d rows", n)
	}
	return n
}

func (c *coder) window(w contention.Window) contention.Window {
	begin := number(c, w.Begin)
	return contention.Window{Begin: begin, End: from(c, begin, w.End)}
}

// shed codes what was left out, since version 2.
func (c *coder) shed(s contention.Shed) contention.Shed {
	if c.version < 2 {
		return contention.Shed{}
	}
	spans := list(c, s.Spans)
	var before time.Duration
	for i, s := range spans {
		s.Begin = from(c, before, s.Begin)
		s.End = from(c, s.Begin, s.End)
		if s.Begin < before || s.End <= s.Begin {
			c.corrupt("waits were left out from %d to %d, and until %d before", s.Begin, s.End, before)
		}
		spans[i], before = s, s.End
	}
	return contention.Shed{Spans: spans, Waits: number(c, s.Waits), WaitTime: number(c, s.WaitTime)}
}

func (c *coder) loss(l contention.Loss) contention.Loss {
	return contention.Loss{
		RingFull:        number(c, l.RingFull),
		MapFull:         number(c, l.MapFull),
		StackIncomplete: number(c, l.StackIncomplete),
		UnmatchedWake:   number(c, l.UnmatchedWake),
		Skipped:         number(c, l.Skipped),
		Detached:        number(c, l.Detached),
		StackMiss:       number(c, l.StackMiss),
	}
}
