// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"slices"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// blamedStacks divides each accusation's blame among the culprit's stacks, by the
// time each stood for. Release stacks are evidence and carry none, but where they
// are all there is. Class, resource and thread are labels.
func blamedStacks(d diagnosis) []results.BlamedStack {
	var out []results.BlamedStack
	for _, f := range d.Findings {
		if !f.Class.Accuses() {
			continue
		}
		held := results.HeldStacks(f)
		if len(held) == 0 {
			held = f.Stacks
		}
		for _, s := range results.DivideBlame(f.Blame, held) {
			s.Labels = map[string]string{
				"class": string(f.Class), "resource": resourceName(f.Resource), "thread": culpritName(f),
			}
			out = append(out, s)
		}
	}
	return out
}

// writeFolded writes the blame as folded stacks, each below the thread that is to blame.
func writeFolded(w io.Writer, d diagnosis) error {
	stacks := blamedStacks(d)
	for i, s := range stacks {
		stacks[i].Stack = append(slices.Clone(s.Stack), contention.Frame{Function: s.Labels["thread"]})
	}
	return results.WriteFolded(w, stacks)
}

// writePprof writes the blame as a compressed profile.
func writePprof(w io.Writer, d diagnosis) error {
	return results.WritePprof(w, blamedStacks(d), d.Window)
}
