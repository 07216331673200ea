// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// mostLanes is how many threads a timeline shows.
const mostLanes = 48

// timeline is what the threads of a run wrote down, one lane each.
type timeline struct {
	Ticks     []string // at equal distances from the beginning to the end of the window
	Lanes     []lane
	Resources []namedResource
	// Hidden threads are left out for want of room: the least involved.
	Hidden int
}

// namedResource is a resource and the letter that stands for it.
type namedResource struct {
	Letter string
	Name   string
}

const ticks = 4 // parts of the axis of time

// newTimeline draws the ledger of a run beside what an analyser made of it.
func newTimeline(l *ledger.Ledger, r results.Record, n names) timeline {
	window := l.Window()
	var t timeline
	for i := range ticks + 1 {
		t.Ticks = append(t.Ticks, duration(window.Length()*time.Duration(i)/ticks))
	}
	letters := t.letter(l, window)
	for _, thread := range byTID(l.Threads) {
		t.Lanes = append(t.Lanes, newLane(thread, window, r, n, letters))
	}
	// Those that truth or analysis speak of stand first, where an error is seen.
	slices.SortStableFunc(t.Lanes, func(a, b lane) int { return cmp.Compare(a.aside(), b.aside()) })
	t.hide()
	return t
}

// letter names the resources that threads wrote something down about.
func (t *timeline) letter(l *ledger.Ledger, window contention.Window) map[int]string {
	used := map[int]bool{}
	for _, thread := range l.Threads {
		for _, e := range thread.Entries {
			if _, inside := e.Clip(window); inside {
				used[e.Resource] = true
			}
		}
	}
	letters := map[int]string{}
	for i, r := range l.Resources {
		if used[i] {
			letters[i] = letterOf(len(letters))
			t.Resources = append(t.Resources, namedResource{letters[i], resourceText(r.Resource)})
		}
	}
	return letters
}

// letterOf counts A to Z, then A1 to Z1, and so on.
func letterOf(i int) string {
	letter := string(rune('A' + i%26))
	if i >= 26 {
		letter += fmt.Sprint(i / 26)
	}
	return letter
}

// hide leaves out lanes above mostLanes, those that neither truth nor analysis speaks
// of first, then those that waited least.
func (t *timeline) hide() {
	if len(t.Lanes) <= mostLanes {
		return
	}
	weight := func(l lane) time.Duration {
		var w time.Duration
		for _, r := range l.Rows {
			w += r.WaitTime
		}
		return w
	}
	order := slices.Clone(t.Lanes)
	slices.SortStableFunc(order, func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.aside(), b.aside()), cmp.Compare(weight(b), weight(a)))
	})
	keep := map[string]bool{}
	for _, l := range order[:mostLanes] {
		keep[l.Thread] = true
	}
	t.Hidden = len(t.Lanes) - mostLanes
	t.Lanes = slices.DeleteFunc(t.Lanes, func(l lane) bool { return !keep[l.Thread] })
}

// size is what the drawing adds to the page, in bytes, roughly.
func (t timeline) size() int {
	n := 0
	for _, l := range t.Lanes {
		n += 400
		for _, r := range l.Rows {
			n += 200 + len(r.Waited) + len(r.Held) + len(r.Worked)
		}
	}
	return n
}
