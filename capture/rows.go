// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// column codes one column of rows: value codes that of one row, in place.
func column[T any](rows []T, value func(row *T)) {
	for i := range rows {
		value(&rows[i])
	}
}

// instants codes a column of instants, each as the difference to that of the row before.
func instants[T any](c *coder, rows []T, at func(row *T) *time.Duration) {
	var before time.Duration
	column(rows, func(row *T) {
		t := at(row)
		*t = from(c, before, *t)
		before = *t
	})
}

func (c *coder) threadRows(rows []contention.Thread) {
	column(rows, func(t *contention.Thread) { t.PID = number(c, t.PID) })
	column(rows, func(t *contention.Thread) {
		id := c.thread(t.ID())
		t.TID, t.Start = id.TID, id.Start
	})
	column(rows, func(t *contention.Thread) { t.Comm = c.text(t.Comm) })
}

func (c *coder) stackRows(rows []contention.Stack) {
	column(rows, func(s *contention.Stack) {
		*s = list(c, *s)
		for i, f := range *s {
			(*s)[i] = c.frame(f)
		}
	})
}

func (c *coder) waitRows(rows []contention.Wait) {
	column(rows, func(w *contention.Wait) { w.Thread = c.thread(w.Thread) })
	column(rows, func(w *contention.Wait) { w.Resource = c.resource(w.Resource) })
	instants(c, rows, func(w *contention.Wait) *time.Duration { return &w.Begin })
	column(rows, func(w *contention.Wait) { w.Woken = from(c, w.Begin, w.Woken) })
	column(rows, func(w *contention.Wait) { w.Ran = from(c, w.Woken, w.Ran) })
	column(rows, func(w *contention.Wait) { w.Waker.Kind = number(c, w.Waker.Kind) })
	column(rows, func(w *contention.Wait) { w.Waker.Thread = c.thread(w.Waker.Thread) })
	column(rows, func(w *contention.Wait) { w.Waker.SameObject = c.flag(w.Waker.SameObject) })
	column(rows, func(w *contention.Wait) { w.Waker.Stack = number(c, w.Waker.Stack) })
	column(rows, func(w *contention.Wait) { w.Owner = number(c, w.Owner) })
	column(rows, func(w *contention.Wait) { w.Late = number(c, w.Late) })
	column(rows, func(w *contention.Wait) { w.Stack = number(c, w.Stack) })
	column(rows, func(w *contention.Wait) { w.KernelStack = number(c, w.KernelStack) })
	column(rows, func(w *contention.Wait) { w.Occupant = c.thread(w.Occupant) })
	column(rows, func(w *contention.Wait) { w.Occupied = number(c, w.Occupied) })
}

func (c *coder) preemptionRows(rows []contention.Preemption) {
	column(rows, func(p *contention.Preemption) { p.Thread = c.thread(p.Thread) })
	instants(c, rows, func(p *contention.Preemption) *time.Duration { return &p.Begin })
	column(rows, func(p *contention.Preemption) { p.Ran = from(c, p.Begin, p.Ran) })
	column(rows, func(p *contention.Preemption) { p.Occupant = c.thread(p.Occupant) })
	column(rows, func(p *contention.Preemption) { p.Occupied = number(c, p.Occupied) })
	column(rows, func(p *contention.Preemption) { p.Stack = number(c, p.Stack) })
	column(rows, func(p *contention.Preemption) { p.Throttled = c.flag(p.Throttled) })
}

func (c *coder) sampleRows(rows []contention.Sample) {
	column(rows, func(s *contention.Sample) { s.Thread = c.thread(s.Thread) })
	instants(c, rows, func(s *contention.Sample) *time.Duration { return &s.At })
	column(rows, func(s *contention.Sample) { s.Stack = number(c, s.Stack) })
}

func (c *coder) exitRows(rows []contention.Exit) {
	column(rows, func(x *contention.Exit) { x.Thread = c.thread(x.Thread) })
	instants(c, rows, func(x *contention.Exit) *time.Duration { return &x.At })
}
