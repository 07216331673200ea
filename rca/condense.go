// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// condensed is a trace without the time in which waits were left out, as if it had not
// been. What is analysed then is a sample of the window, in which all waits are known.
type condensed struct {
	shed []contention.Window
	gone []time.Duration // time that was taken out before each of them
}

// condense takes the time in which waits were left out of a trace. It returns how many
// times longer the window is than what is left of it. Where there is nothing to take out,
// or nothing would be left, the trace is returned as it is.
func condense(t *contention.Trace) (*contention.Trace, float64) {
	told := t.Told()
	if len(t.Shed.Spans) == 0 || told <= 0 {
		return t, 1
	}
	c := condensed{shed: t.Shed.Spans}
	var gone time.Duration
	for _, s := range c.shed {
		c.gone = append(c.gone, gone)
		gone += s.Length()
	}
	out := *t
	out.Window = contention.Window{Begin: t.Window.Begin, End: t.Window.Begin + told}
	out.Waits = slices.Clone(t.Waits)
	for i := range out.Waits {
		w := &out.Waits[i]
		at := *w
		w.Begin, w.Woken, w.Ran = c.at(at.Begin), c.after(at.Woken), c.after(at.Ran)
		w.Occupied = shrunk(at.Occupied, at.Ran-at.Woken, w.Ran-w.Woken)
	}
	out.Waits = slices.DeleteFunc(out.Waits, func(w contention.Wait) bool { return w.Ran != 0 && w.Ran == w.Begin })
	out.Preemptions = slices.Clone(t.Preemptions)
	for i := range out.Preemptions {
		p := &out.Preemptions[i]
		at := *p
		p.Begin, p.Ran = c.at(at.Begin), c.at(at.Ran)
		p.Occupied = shrunk(at.Occupied, at.Ran-at.Begin, p.Ran-p.Begin)
	}
	out.Preemptions = slices.DeleteFunc(out.Preemptions, func(p contention.Preemption) bool { return p.Ran == p.Begin })
	out.Samples = nil
	for _, s := range t.Samples {
		if !c.lacks(s.At) {
			s.At = c.at(s.At)
			out.Samples = append(out.Samples, s)
		}
	}
	out.Exits = slices.Clone(t.Exits)
	for i := range out.Exits {
		out.Exits[i].At = c.at(out.Exits[i].At)
	}
	out.Shed = contention.Shed{}
	out.Sort()
	return &out, float64(t.Window.Length()) / float64(told)
}

// at is where an instant comes to lie.
func (c condensed) at(t time.Duration) time.Duration {
	i := c.last(t)
	if i < 0 {
		return t
	}
	return t - c.gone[i] - (min(t, c.shed[i].End) - c.shed[i].Begin)
}

// last is which span was the last to begin by an instant, -1 if none had.
func (c condensed) last(t time.Duration) int {
	return sort.Search(len(c.shed), func(i int) bool { return c.shed[i].Begin > t }) - 1
}

// lacks reports whether an instant is taken out.
func (c condensed) lacks(t time.Duration) bool {
	i := c.last(t)
	return i >= 0 && t < c.shed[i].End
}

// after is the same of an instant that may not have come.
func (c condensed) after(t time.Duration) time.Duration {
	if t == 0 {
		return 0
	}
	return c.at(t)
}

// shrunk is how much of a length is left when what it is a part of has become shorter.
func shrunk(length, whole, left time.Duration) time.Duration {
	if whole <= 0 {
		return length
	}
	return times(length, float64(left)/float64(whole))
}

func times(length time.Duration, factor float64) time.Duration {
	return time.Duration(math.Round(float64(length) * factor))
}

// extend makes what was found in a sample of the window stand for all of it. Counts stay
// those of what was seen.
func extend(a *contention.Analysis, factor float64) {
	if factor == 1 {
		return
	}
	more := func(d *time.Duration) { *d = times(*d, factor) }
	for i := range a.Findings {
		f := &a.Findings[i]
		more(&f.Blame)
		for k := range f.Stacks {
			more(&f.Stacks[k].Weight)
		}
		for k := range f.Victims {
			more(&f.Victims[k].Wait)
		}
		for k := range f.Chain {
			more(&f.Chain[k].Wait)
		}
	}
	for i := range a.Charges {
		more(&a.Charges[i].Blame)
	}
	t := &a.Totals
	more(&t.Blame)
	more(&t.External)
	more(&t.Open)
	t.WaitTime = t.Blame + t.External + t.Open
	for kind, total := range t.ByKind {
		more(&total.WaitTime)
		t.ByKind[kind] = total
	}
}
