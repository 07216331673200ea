// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func blame(truth Truth, charges []contention.Charge) Blame {
	var b Blame
	for _, c := range charges {
		if right(truth, c.Thread) {
			b.Found += c.Blame
		}
	}
	for _, r := range truth.Root {
		if right(truth, contention.Thread{TID: r.TID, Start: r.Start}) {
			b.True += r.Time
		}
	}
	b.Error = blameError(b.Found, b.True)
	b.TVDistance = tvDistance(truth.Root, charges)
	return b
}

// blameError is 0 where there is no true blame to miss.
func blameError(found, truth time.Duration) float64 {
	if truth <= 0 {
		return 0
	}
	return math.Abs(float64(found-truth)) / float64(truth)
}

// tvDistance is half the sum of the differences of the shares: 0 if both sides are
// empty, 1 if one is.
func tvDistance(root []ThreadBlame, charges []contention.Charge) float64 {
	var found []ThreadBlame
	for _, c := range charges {
		found = append(found, ThreadBlame{TID: c.Thread.TID, Start: c.Thread.Start, Time: c.Blame})
	}
	p, q := shares(root), shares(found)
	switch {
	case len(p) == 0 && len(q) == 0:
		return 0
	case len(p) == 0 || len(q) == 0:
		return 1
	}
	sum := 0.0
	for _, a := range p {
		sum += math.Abs(a.share - takeShare(q, a.thread))
	}
	for _, b := range q {
		sum += b.share // nobody on the other side took it
	}
	return sum / 2
}

type threadShare struct {
	thread contention.ThreadID
	share  float64
}

// shares turns times into shares of their sum, one entry a thread; without any
// time it is empty.
func shares(list []ThreadBlame) []threadShare {
	total := 0.0
	for _, b := range list {
		total += float64(b.Time)
	}
	if total <= 0 {
		return nil
	}
	var out []threadShare
	for _, b := range list {
		part := float64(b.Time) / total
		at := findShare(out, contention.ThreadID{TID: b.TID, Start: b.Start})
		if at < 0 {
			out = append(out, threadShare{contention.ThreadID{TID: b.TID, Start: b.Start}, part})
		} else {
			out[at].share += part
		}
	}
	return out
}

func findShare(list []threadShare, id contention.ThreadID) int {
	return slices.IndexFunc(list, func(s threadShare) bool {
		return sameThread(s.thread.TID, s.thread.Start, id.TID, id.Start)
	})
}

// takeShare returns the thread's share and leaves none of it behind.
func takeShare(list []threadShare, id contention.ThreadID) float64 {
	at := findShare(list, id)
	if at < 0 {
		return 0
	}
	taken := list[at].share
	list[at].share = 0
	return taken
}
