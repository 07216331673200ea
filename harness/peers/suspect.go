// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// suspect is a thread as a tool ranks it.
type suspect struct {
	thread contention.Thread
	// measure is what the tool ranks by.
	measure time.Duration
	stacks  []contention.WeightedStack
}

// mostStacks is how many stacks of a suspect are kept, those of the most weight.
const mostStacks = 5

// suspects adds up what a tool says of threads.
type suspects struct {
	list []suspect
}

// add adds to the measure of a thread, which stays within its range, and a stack if there
// is one.
func (s *suspects) add(thread contention.Thread, measure time.Duration, role contention.Role, stack contention.Stack) {
	at := slices.IndexFunc(s.list, func(o suspect) bool { return o.thread == thread })
	if at < 0 {
		at = len(s.list)
		s.list = append(s.list, suspect{thread: thread})
	}
	s.list[at].measure += min(measure, math.MaxInt64-s.list[at].measure)
	if len(stack) > 0 {
		s.list[at].stacks = append(s.list[at].stacks, contention.WeightedStack{Role: role, Weight: measure, Frames: stack})
	}
}

// rank turns suspects into findings, the largest measure first. They have no class: the
// tools know none.
func rank(list []suspect) contention.Analysis {
	list = slices.DeleteFunc(slices.Clone(list), func(s suspect) bool { return s.measure <= 0 })
	slices.SortStableFunc(list, func(a, b suspect) int {
		return cmp.Or(cmp.Compare(b.measure, a.measure), a.thread.ID().Compare(b.thread.ID()), strings.Compare(a.thread.Comm, b.thread.Comm))
	})
	sum := 0.0
	for _, s := range list {
		sum += float64(s.measure)
	}
	a := contention.Analysis{Findings: []contention.Finding{}}
	for i, s := range list[:min(len(list), results.MaxFindings)] {
		culprit := s.thread
		a.Findings = append(a.Findings, contention.Finding{
			Rank: i + 1, Blame: s.measure, Share: float64(s.measure) / sum, Culprit: &culprit,
			Culprits: []contention.Thread{}, Stacks: heaviest(s.stacks), Victims: []contention.Victim{}, Chain: []contention.Hop{},
		})
	}
	return a
}

func heaviest(stacks []contention.WeightedStack) []contention.WeightedStack {
	stacks = slices.Clone(stacks)
	slices.SortStableFunc(stacks, func(a, b contention.WeightedStack) int { return cmp.Compare(b.Weight, a.Weight) })
	return append([]contention.WeightedStack{}, stacks[:min(len(stacks), mostStacks)]...)
}

// frameOf reads a frame as the tools print it, as name+offset. It reports false for one
// that has no name.
func frameOf(text string) (contention.Frame, bool) {
	name, _, _ := strings.Cut(strings.TrimSpace(text), "+")
	if name == "" || name == "-" || strings.HasPrefix(name, "[") || strings.HasPrefix(name, "0x") {
		return contention.Frame{}, false
	}
	return contention.Frame{Function: name}, true
}
