// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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

// lane is one thread.
type lane struct {
	Thread     string
	Culprit    bool
	Accused    int    // the rank at which it is first accused, 0 if it is not
	Decoy      string // the label of one
	TrueShare  float64
	FoundShare float64
	Rows       []row
	Summary    string // for those who do not see the drawing
}

// Wrong says that the analysis accuses an innocent or passes over the culprit.
func (l lane) Wrong() bool { return l.Culprit != (l.Accused > 0) }

// aside is 0 for a thread that is the culprit or accused.
func (l lane) aside() int {
	if l.Culprit || l.Accused > 0 {
		return 0
	}
	return 1
}

// row is what a thread did about one resource. Waiting hangs from the top, holding and
// working stand on the floor.
type row struct {
	Letter                string
	Waited, Held, Worked  string // outlines
	WaitTime, OwnTime     time.Duration
	waits, owns, resource int
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

func newLane(thread ledger.Thread, window contention.Window, r results.Record, n names, letters map[int]string) lane {
	on := onThread(r.Truth, thread.Thread)
	lane := lane{
		Thread: n.label(thread.TID), Culprit: on.Culprit, Decoy: cmp.Or(on.Decoy, thread.Decoy),
		Accused:    firstAccused(r.Findings, thread.ID()),
		TrueShare:  share(r.Truth.Root, thread.ID()),
		FoundShare: share(r.Charges, thread.ID()),
		Rows:       rows(thread, window, letters),
	}
	lane.Summary = lane.summary()
	return lane
}

// firstAccused is the place of the first accusation of a thread among accusations.
func firstAccused(findings []contention.Finding, id contention.ThreadID) int {
	rank := 0
	for _, f := range findings {
		threads := accused(f)
		if len(threads) == 0 {
			continue
		}
		rank++
		if slices.ContainsFunc(threads, func(t contention.Thread) bool { return same(t.ID(), id) }) {
			return rank
		}
	}
	return 0
}

// rows draws what a thread wrote down, by resource.
func rows(thread ledger.Thread, window contention.Window, letters map[int]string) []row {
	drawn := map[int]*[3]coverage{}
	counted := map[int]*row{}
	for _, e := range thread.Entries {
		part, inside := e.Clip(window)
		if !inside {
			continue
		}
		if drawn[e.Resource] == nil {
			drawn[e.Resource] = &[3]coverage{{window: window}, {window: window}, {window: window}}
			counted[e.Resource] = &row{Letter: letters[e.Resource], resource: e.Resource}
		}
		drawn[e.Resource][e.Kind-ledger.Waiting].add(part)
		counted[e.Resource].count(e.Kind, part.Length())
	}
	var list []row
	for resource, r := range counted {
		c := drawn[resource]
		r.Waited = path(c[0].heights(), true)
		r.Held = path(c[1].heights(), false)
		r.Worked = path(c[2].heights(), false)
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b row) int { return cmp.Compare(a.resource, b.resource) })
	return list
}

func (r *row) count(kind ledger.Kind, length time.Duration) {
	if kind == ledger.Waiting {
		r.waits, r.WaitTime = r.waits+1, r.WaitTime+length
		return
	}
	r.owns, r.OwnTime = r.owns+1, r.OwnTime+length
}

func (l lane) summary() string {
	var parts []string
	for _, r := range l.Rows {
		if r.waits > 0 {
			parts = append(parts, fmt.Sprintf("waited %s for %s, %s", duration(r.WaitTime), r.Letter, times(r.waits)))
		}
		if r.owns > 0 {
			parts = append(parts, fmt.Sprintf("held or worked on %s for %s, %s", r.Letter, duration(r.OwnTime), times(r.owns)))
		}
	}
	if len(parts) == 0 {
		return "wrote nothing down"
	}
	return strings.Join(parts, "; ")
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
