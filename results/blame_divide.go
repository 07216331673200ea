// SPDX-License-Identifier: Apache-2.0

package results

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// HeldStacks are the stacks of what a culprit did while it held others up. Where it let
// go is evidence, and no answer to what it did before.
func HeldStacks(f contention.Finding) []contention.WeightedStack {
	var out []contention.WeightedStack
	for _, s := range f.Stacks {
		if s.Role != contention.ReleaseStack {
			out = append(out, s)
		}
	}
	return out
}

// DivideBlame divides blame over stacks by the time that each stood for, evenly where
// that is not known. The parts add up to it.
func DivideBlame(blame time.Duration, stacks []contention.WeightedStack) []BlamedStack {
	var sum time.Duration
	for _, s := range stacks {
		sum += s.Weight
	}
	out := make([]BlamedStack, len(stacks))
	left := blame
	for i, s := range stacks {
		share := 1 / float64(len(stacks))
		if sum > 0 {
			share = float64(s.Weight) / float64(sum)
		}
		part := min(time.Duration(share*float64(blame)), left)
		if i == len(stacks)-1 {
			part = left
		}
		left -= part
		out[i] = BlamedStack{Stack: s.Frames, Blame: part}
	}
	return out
}
