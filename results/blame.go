// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// TrueBlame lists what each thread of each valid run answers for by its ledger, as
// stacks: scenario, variant, what the thread is, run and thread, and of a culprit the
// function it is at fault in.
//
// FoundBlame lists the same of what the first analyser charged, in stacks that are alike
// where it is right, so that the difference of the two is the error.
func TrueBlame(f *Folder) []BlamedStack {
	var out []BlamedStack
	for _, r := range gradedBlame(f) {
		for _, b := range r.Truth.Root {
			thread := contention.Thread{TID: b.TID, Start: b.Start}
			stack := trueFunction(r.Truth, thread)
			out = append(out, r.blamed(thread, stack, b.Time))
		}
	}
	return out
}

// FoundBlame lists how the first analyser's charges divide; see TrueBlame. What it charged
// to a thread that it accuses is divided over the stacks that it shows of it: a stack with
// the right function on it counts as that function, any other as its innermost.
func FoundBlame(f *Folder) []BlamedStack {
	var out []BlamedStack
	for _, r := range gradedBlame(f) {
		for _, c := range r.Charges {
			thread := contention.Thread{TID: c.TID, Start: c.Start}
			for _, part := range r.shown(thread, c.Time) {
				out = append(out, r.blamed(thread, part.Stack, part.Blame))
			}
		}
	}
	return out
}

// blamedRecord is a record of which charges and truth can be compared.
type blamedRecord struct{ Record }

func gradedBlame(f *Folder) []blamedRecord {
	var out []blamedRecord
	for _, r := range f.Select("", f.firstAnalyzer()) {
		if r.Verdict.Valid() {
			out = append(out, blamedRecord{r})
		}
	}
	return out
}

// blamed is a stack within the run and thread that it is of.
func (r blamedRecord) blamed(t contention.Thread, stack contention.Stack, blame time.Duration) BlamedStack {
	for _, name := range []string{
		fmt.Sprintf("run %d, thread %d", r.Index, t.TID), r.part(t), string(r.Variant), r.Scenario,
	} {
		stack = append(slices.Clip(stack), contention.Frame{Function: name})
	}
	return BlamedStack{Stack: stack, Blame: blame, Labels: map[string]string{
		"scenario": r.Scenario, "variant": string(r.Variant), "run": strconv.Itoa(r.Index), "thread": strconv.Itoa(t.TID),
	}}
}

// part is what a thread is by the truth.
func (r blamedRecord) part(t contention.Thread) string {
	switch {
	case right(r.Truth, t):
		return "culprit"
	case isDecoy(r.Truth, t):
		return "decoy"
	default:
		return "bystander"
	}
}

// trueFunction is the function that a culprit is at fault in, as a stack; none of others.
func trueFunction(truth Truth, t contention.Thread) contention.Stack {
	for _, c := range truth.Culprits {
		if sameThread(c.TID, c.Start, t.TID, t.Start) && len(c.Functions) > 0 {
			return contention.Stack{{Function: c.Functions[0]}}
		}
	}
	return nil
}

// shown divides what was charged to a thread over the functions that the findings which
// accuse it show. What they do not account for falls on the thread alone.
func (r blamedRecord) shown(t contention.Thread, charged time.Duration) []BlamedStack {
	var parts []BlamedStack
	var accused, divided time.Duration
	for _, f := range r.accusing(t) {
		accused += f.Blame
	}
	for _, f := range r.accusing(t) {
		share := float64(charged) / float64(max(charged, accused, 1))
		for _, s := range DivideBlame(time.Duration(share*float64(f.Blame)), HeldStacks(f)) {
			s.Stack = r.shownFunction(s.Stack, t)
			parts = append(parts, s)
			divided += s.Blame
		}
	}
	if rest := charged - divided; rest != 0 {
		parts = append(parts, BlamedStack{Blame: rest})
	}
	return parts
}

// accusing are the findings that name t as their first culprit.
func (r blamedRecord) accusing(t contention.Thread) []contention.Finding {
	var out []contention.Finding
	for _, f := range r.Findings {
		if named := f.Accused(); len(named) > 0 && sameThread(named[0].TID, named[0].Start, t.TID, t.Start) {
			out = append(out, f)
		}
	}
	return out
}

func (r blamedRecord) shownFunction(frames contention.Stack, t contention.Thread) contention.Stack {
	for _, f := range frames {
		if own := trueFunction(r.Truth, t); own != nil && isTrueFunction(r.Truth, f.Function) {
			return own
		}
	}
	if len(frames) == 0 {
		return nil
	}
	return contention.Stack{{Function: frames[0].Name()}}
}
