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

// same reports whether two ids name one thread. The ledger and the truth know starts
// to a tick only, and a start of 0 is unknown.
func same(a, b contention.ThreadID) bool {
	apart := a.Start - b.Start
	near := a.Start == 0 || b.Start == 0 || -ledger.StartTick < apart && apart < ledger.StartTick
	return a.TID == b.TID && near
}

// verdictOnThread is how right it is to accuse a thread.
type verdictOnThread struct {
	Culprit bool
	Decoy   string // the label of one
}

func onThread(truth results.Truth, t contention.Thread) verdictOnThread {
	var v verdictOnThread
	for _, c := range truth.Culprits {
		v.Culprit = v.Culprit || same(t.ID(), contention.ThreadID{TID: c.TID, Start: c.Start})
	}
	for _, d := range truth.Decoys {
		if d.TID == t.TID {
			v.Decoy = d.Label
		}
	}
	return v
}

// names maps thread ids to what findings call them.
type names map[int]string

func namesOf(records []results.Record) names {
	n := names{}
	add := func(t contention.Thread) {
		if t.Comm != "" {
			n[t.TID] = t.Comm
		}
	}
	for _, r := range records {
		for _, f := range r.Findings {
			if f.Culprit != nil {
				add(*f.Culprit)
			}
			for _, t := range f.Culprits {
				add(t)
			}
			for _, v := range f.Victims {
				add(v.Thread)
			}
		}
	}
	return n
}

// label is the name and the id of a thread.
func (n names) label(tid int) string {
	if name := n[tid]; name != "" {
		return fmt.Sprintf("%s %d", name, tid)
	}
	return fmt.Sprint(tid)
}

// share is what of all blame a thread answers for, 0 where there is none.
func share(list []results.ThreadBlame, id contention.ThreadID) float64 {
	var own, all time.Duration
	for _, b := range list {
		all += b.Time
		if same(id, contention.ThreadID{TID: b.TID, Start: b.Start}) {
			own += b.Time
		}
	}
	if all <= 0 {
		return 0
	}
	return float64(own) / float64(all)
}

// byTID orders threads as they were started, so far as ids tell.
func byTID(threads []ledger.Thread) []ledger.Thread {
	sorted := slices.Clone(threads)
	slices.SortStableFunc(sorted, func(a, b ledger.Thread) int {
		return cmp.Or(cmp.Compare(a.TID, b.TID), cmp.Compare(a.Start, b.Start))
	})
	return sorted
}
