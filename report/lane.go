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
		threads := f.Accused()
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
