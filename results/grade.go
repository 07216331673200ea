// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// startTick is the resolution at which the kernel tells user space when a thread
// started. A truth read from /proc is cut to it; an eBPF program sees all of it.
const startTick = 10 * time.Millisecond

// Graded is what an analysis is worth beside the truth.
type Graded struct {
	Verdict    Verdict
	Ranks      Ranks
	Blame      Blame
	Chain      Chain
	DecoyFirst bool
}

// Grade judges the analysis of a valid run. Only the first MaxFindings findings
// count, so that what a record keeps gives the same grade again. With ordered, the
// culprits must be named in the order of their root blame.
//
// Findings rank in the order they stand in. Each level is ranked on its own: at
// thread level the list is that of the threads accused, each once, where an
// accusation of nobody holds a place too.
func Grade(truth Truth, variant contention.Variant, analysis contention.Analysis, ordered bool) Graded {
	findings := kept(analysis.Findings)
	accused := accusedThreads(findings)
	return Graded{
		Verdict:    verdict(truth, variant, findings, ordered),
		Ranks:      ranks(truth, findings, accused),
		Blame:      blame(truth, analysis.Charges),
		Chain:      chain(truth, findings),
		DecoyFirst: len(accused) > 0 && isDecoy(truth, accused[0]),
	}
}

// Regrade recomputes from the findings, the charges and the truth of a record what
// Grade gave it. Runs that do not enter accuracy stay as they are.
func Regrade(r Record, ordered bool) Record {
	if !r.Verdict.Valid() {
		return r
	}
	analysis := contention.Analysis{Findings: r.Findings}
	for _, c := range r.Charges {
		thread := contention.Thread{TID: c.TID, Start: c.Start}
		analysis.Charges = append(analysis.Charges, contention.Charge{Thread: thread, Blame: c.Time})
	}
	g := Grade(r.Truth, r.Variant, analysis, ordered)
	r.Verdict, r.Ranks, r.Blame, r.Chain, r.DecoyFirst = g.Verdict, g.Ranks, g.Blame, g.Chain, g.DecoyFirst
	return r
}

// ChargesOf is what a record keeps of an analysis' charges.
func ChargesOf(charges []contention.Charge) []ThreadBlame {
	out := make([]ThreadBlame, len(charges))
	for i, c := range charges {
		out[i] = ThreadBlame{TID: c.Thread.TID, Start: c.Thread.Start, Time: c.Blame}
	}
	return out
}

// Valid reports whether v enters accuracy.
func (v Verdict) Valid() bool {
	switch v {
	case Hit, Miss, CorrectReject, FalseAlarm:
		return true
	default:
		return false
	}
}

func kept(findings []contention.Finding) []contention.Finding {
	return findings[:min(len(findings), MaxFindings)]
}

// accusedThreads lists the threads accused, each at its first place. An accusation
// that names nobody is a zero thread, which is nobody's.
func accusedThreads(findings []contention.Finding) []contention.Thread {
	var list []contention.Thread
	for _, f := range findings {
		if !f.Class.Accuses() {
			continue
		}
		threads := f.Accused()
		if len(threads) == 0 {
			list = append(list, contention.Thread{})
		}
		for _, t := range threads {
			same := func(o contention.Thread) bool { return sameThread(o.TID, o.Start, t.TID, t.Start) }
			if !slices.ContainsFunc(list, same) {
				list = append(list, t)
			}
		}
	}
	return list
}

// sameThread compares at the resolution of a clock tick; a start of zero is unknown
// and the tid alone decides.
func sameThread(tid int, start time.Duration, otherTID int, otherStart time.Duration) bool {
	if tid != otherTID {
		return false
	}
	return start == 0 || otherStart == 0 || start/startTick == otherStart/startTick
}

func verdict(truth Truth, variant contention.Variant, findings []contention.Finding, ordered bool) Verdict {
	accused := accusedThreads(findings)
	switch {
	case variant != contention.FaultVariant && len(accused) == 0:
		return CorrectReject
	case variant != contention.FaultVariant:
		return FalseAlarm
	case truth.Nobody:
		return verdictOnNobody(truth, findings)
	case truth.Class == contention.Deadlock && !namesCircle(truth, findings):
		return Miss
	case namesAll(truth, accused, ordered):
		return Hit
	default:
		return Miss
	}
}

// namesAll reports whether the first accused are exactly the true culprits.
func namesAll(truth Truth, accused []contention.Thread, ordered bool) bool {
	n := len(truth.Culprits)
	if n == 0 || len(accused) < n {
		return false
	}
	previous := time.Duration(math.MaxInt64)
	for _, t := range accused[:n] {
		if culprit(truth, t) < 0 {
			return false
		}
		root := rootBlame(truth, t.TID, t.Start)
		if ordered && root > previous {
			return false
		}
		previous = root
	}
	return true
}

// verdictOnNobody asks of the first accusation to be of the right class and to name
// nobody.
func verdictOnNobody(truth Truth, findings []contention.Finding) Verdict {
	if FirstIsRight(truth, findings) {
		return Hit
	}
	return Miss
}

// FirstIsRight reports whether the first accusation of findings is right.
func FirstIsRight(truth Truth, findings []contention.Finding) bool {
	for _, f := range findings {
		if f.Class.Accuses() {
			return accusesRightly(truth, f)
		}
	}
	return false
}

// accusesRightly reports whether all whom an accusation names are true culprits or, where
// nobody can be named, whether it names nobody and has the right class.
func accusesRightly(truth Truth, f contention.Finding) bool {
	threads := f.Accused()
	if truth.Nobody {
		return f.Class == truth.Class && len(threads) == 0
	}
	wrong := func(t contention.Thread) bool { return culprit(truth, t) < 0 }
	return len(threads) > 0 && !slices.ContainsFunc(threads, wrong)
}

// right reports whether an accused thread is the answer: a true culprit or, where
// nobody can be named, nobody.
func right(truth Truth, accused contention.Thread) bool {
	if truth.Nobody {
		return accused == contention.Thread{}
	}
	return culprit(truth, accused) >= 0
}

// namesCircle reports whether the first accusation names as many threads as are
// locked up. A circle is one cause: to name more threads beside those in it, or these
// one by one, does not explain it.
func namesCircle(truth Truth, findings []contention.Finding) bool {
	for _, f := range findings {
		if f.Class.Accuses() {
			return len(f.Accused()) == len(truth.Culprits)
		}
	}
	return false
}

// culprit returns the place of t among the true culprits, -1 if it is not one.
func culprit(truth Truth, t contention.Thread) int {
	return slices.IndexFunc(truth.Culprits, func(c Culprit) bool {
		return sameThread(c.TID, c.Start, t.TID, t.Start)
	})
}

func isDecoy(truth Truth, t contention.Thread) bool {
	return slices.ContainsFunc(truth.Decoys, func(d Decoy) bool { return d.TID == t.TID })
}

func rootBlame(truth Truth, tid int, start time.Duration) time.Duration {
	sum := time.Duration(0)
	for _, b := range truth.Root {
		if sameThread(b.TID, b.Start, tid, start) {
			sum += b.Time
		}
	}
	return sum
}
