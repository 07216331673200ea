// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"slices"
	"strings"
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
		Verdict:    verdict(truth, variant, accused, ordered),
		Ranks:      ranks(truth, findings, accused),
		Blame:      blame(truth, analysis.Charges),
		Chain:      chain(truth.Edges, findings),
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

// named lists the threads that f accuses.
func named(f contention.Finding) []contention.Thread {
	switch {
	case !f.Class.Accuses():
		return nil
	case len(f.Culprits) > 0:
		return f.Culprits
	case f.Culprit != nil:
		return []contention.Thread{*f.Culprit}
	default:
		return nil
	}
}

// accusedThreads lists the threads accused, each at its first place. An accusation
// that names nobody is a zero thread, which is nobody's.
func accusedThreads(findings []contention.Finding) []contention.Thread {
	var list []contention.Thread
	for _, f := range findings {
		if !f.Class.Accuses() {
			continue
		}
		threads := named(f)
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

func verdict(truth Truth, variant contention.Variant, accused []contention.Thread, ordered bool) Verdict {
	switch {
	case variant != contention.FaultVariant && len(accused) == 0:
		return CorrectReject
	case variant != contention.FaultVariant:
		return FalseAlarm
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

func ranks(truth Truth, findings []contention.Finding, accused []contention.Thread) Ranks {
	place := func(right func(contention.Finding) bool) int {
		return 1 + slices.IndexFunc(findings, right)
	}
	return Ranks{
		Class:    place(func(f contention.Finding) bool { return truth.Class != "" && f.Class == truth.Class }),
		Process:  place(func(f contention.Finding) bool { return namesProcess(truth, f) }),
		Thread:   1 + slices.IndexFunc(accused, func(t contention.Thread) bool { return culprit(truth, t) >= 0 }),
		Resource: place(func(f contention.Finding) bool { return sameResource(truth.Resource, f.Resource) }),
		Frame:    place(func(f contention.Finding) bool { return showsFunction(truth, f) }),
		Edge:     place(func(f contention.Finding) bool { return namesEdge(truth.Edges, f) }),
	}
}

func namesProcess(truth Truth, f contention.Finding) bool {
	return slices.ContainsFunc(named(f), func(t contention.Thread) bool {
		return slices.ContainsFunc(truth.Culprits, func(c Culprit) bool { return c.PID == t.PID })
	})
}

// sameResource compares kinds and what names the object: its inode, or its address.
func sameResource(truth, found contention.Resource) bool {
	if truth.Kind == "" || truth.Kind != found.Kind {
		return false
	}
	return (truth.Address != 0 && truth.Address == found.Address) ||
		(truth.Inode != 0 && truth.Inode == found.Inode)
}

func showsFunction(truth Truth, f contention.Finding) bool {
	for _, s := range f.Stacks {
		for _, frame := range s.Frames {
			if isTrueFunction(truth, frame.Function) {
				return true
			}
		}
	}
	return false
}

// isTrueFunction looks through the suffixes that compilers give to clones, as in
// hold.constprop.0.
func isTrueFunction(truth Truth, function string) bool {
	return slices.ContainsFunc(truth.Culprits, func(c Culprit) bool {
		return slices.ContainsFunc(c.Functions, func(right string) bool {
			return right != "" && (function == right || strings.HasPrefix(function, right+"."))
		})
	})
}

type pairOfThreads struct{ waiter, holder int }

func namesEdge(truth []Edge, f contention.Finding) bool {
	right := edgeSet(truth)
	return slices.ContainsFunc(blamed(f), func(p pairOfThreads) bool { return right[p] })
}

// blamed pairs the victims of an accusation with those it accuses.
func blamed(f contention.Finding) []pairOfThreads {
	var pairs []pairOfThreads
	for _, v := range f.Victims {
		for _, t := range named(f) {
			pairs = append(pairs, pairOfThreads{v.TID, t.TID})
		}
	}
	return pairs
}

// minEdgeShare is the least share of all edges' time at which an edge must be found,
// or counts as a wrong one: below it, two threads merely met.
const minEdgeShare = 0.01

func edgeSet(edges []Edge) map[pairOfThreads]bool {
	set := make(map[pairOfThreads]bool, len(edges))
	for _, e := range edges {
		set[pairOfThreads{e.Waiter, e.Holder}] = true
	}
	return set
}

// mainEdges leaves out the edges that hardly took any time.
func mainEdges(edges []Edge) []Edge {
	var sum time.Duration
	for _, e := range edges {
		sum += e.Time
	}
	return slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool {
		return float64(e.Time) < minEdgeShare*float64(sum)
	})
}

// chain grades the edges that the accusations name: the hops of their chains, or
// where there is no chain, from each victim to each culprit.
func chain(truth []Edge, findings []contention.Finding) Chain {
	var named []Edge
	for _, f := range findings {
		named = append(named, edgesOf(f)...)
	}
	found, known, wanted := edgeSet(mainEdges(named)), edgeSet(truth), edgeSet(mainEdges(truth))
	all := edgeSet(named)
	return Chain{
		Precision: share(common(found, known), len(found)),
		Recall:    share(common(wanted, all), len(wanted)),
	}
}

// common counts what is in both sets.
func common(a, b map[pairOfThreads]bool) int {
	n := 0
	for p := range a {
		if b[p] {
			n++
		}
	}
	return n
}

func edgesOf(f contention.Finding) []Edge {
	if !f.Class.Accuses() {
		return nil
	}
	var edges []Edge
	if len(f.Chain) == 0 {
		for _, p := range blamed(f) {
			edges = append(edges, Edge{Waiter: p.waiter, Holder: p.holder})
		}
	}
	for _, hop := range f.Chain {
		edges = append(edges, Edge{Waiter: hop.Waiter, Holder: hop.Holder, Time: hop.Wait})
	}
	return edges
}

// share of part in all, 0 of nothing.
func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

func blame(truth Truth, charges []contention.Charge) Blame {
	var b Blame
	for _, c := range charges {
		if culprit(truth, c.Thread) >= 0 {
			b.Found += c.Blame
		}
	}
	for _, r := range truth.Root {
		if culprit(truth, contention.Thread{TID: r.TID, Start: r.Start}) >= 0 {
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
