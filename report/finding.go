// SPDX-License-Identifier: Apache-2.0

package report

import (
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// Limits on what is shown of one answer.
const (
	mostFindings = 5
	mostFrames   = 8
	mostHops     = 8
)

// finding is one finding beside the truth.
type finding struct {
	Rank       int
	Class      string
	Accuses    bool
	Culprits   []suspect
	Resource   string
	Share      float64
	Blame      string
	Confidence float64
	Victims    int
	Chain      []hop
	MoreHops   int
	Stack      *stack
}

// suspect is an accused thread.
type suspect struct {
	Thread string
	verdictOnThread
}

type hop struct {
	Waiter, Holder, Resource, Wait, Evidence string
}

// stack is the heaviest of a finding, innermost frame first.
type stack struct {
	Role, Weight string
	Frames       []frame
	More         int // frames further out
}

type frame struct {
	Function, Place string
	// True says that the culprit is in this function while it holds the others up.
	True bool
}

func newFindings(r results.Record, n names) []finding {
	var list []finding
	for _, f := range r.Findings[:min(len(r.Findings), mostFindings)] {
		list = append(list, newFinding(f, r.Truth, n))
	}
	return list
}

func newFinding(f contention.Finding, truth results.Truth, n names) finding {
	view := finding{
		Rank: f.Rank, Class: string(f.Class), Accuses: f.Class.Accuses(), Resource: resourceText(f.Resource),
		Share: f.Share, Blame: duration(f.Blame), Confidence: f.Confidence, Victims: len(f.Victims),
		Stack: newStack(f, truth), MoreHops: max(len(f.Chain)-mostHops, 0),
	}
	for _, t := range f.Accused() {
		view.Culprits = append(view.Culprits, suspect{n.label(t.TID), onThread(truth, t)})
	}
	for _, h := range f.Chain[:min(len(f.Chain), mostHops)] {
		view.Chain = append(view.Chain, hop{
			n.label(h.Waiter), n.label(h.Holder), resourceText(h.Resource), duration(h.Wait), string(h.Evidence),
		})
	}
	return view
}

// newStack returns the heaviest stack of f, nil if it has none.
func newStack(f contention.Finding, truth results.Truth) *stack {
	if len(f.Stacks) == 0 {
		return nil
	}
	top := f.Stacks[0]
	for _, s := range f.Stacks {
		if s.Weight > top.Weight {
			top = s
		}
	}
	view := &stack{Role: string(top.Role), Weight: duration(top.Weight), More: max(len(top.Frames)-mostFrames, 0)}
	for _, fr := range top.Frames[:min(len(top.Frames), mostFrames)] {
		view.Frames = append(view.Frames, newFrame(fr, truth))
	}
	return view
}

func newFrame(f contention.Frame, truth results.Truth) frame {
	view := frame{Function: f.Function, Place: f.Module}
	if view.Function == "" {
		view.Function = f.Address.String()
	}
	if f.Kernel {
		view.Place = "kernel"
	}
	for _, c := range truth.Culprits {
		for _, name := range c.Functions {
			view.True = view.True || f.Function != "" && f.Function == name
		}
	}
	return view
}
