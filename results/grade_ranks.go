// SPDX-License-Identifier: Apache-2.0

package results

import (
	"slices"
	"strings"

	"github.com/os2026/ebpf-rca/contention"
)

func ranks(truth Truth, findings []contention.Finding, accused []contention.Thread) Ranks {
	place := func(right func(contention.Finding) bool) int {
		return 1 + slices.IndexFunc(findings, right)
	}
	return Ranks{
		Class:    place(func(f contention.Finding) bool { return truth.Class != "" && f.Class == truth.Class }),
		Process:  place(func(f contention.Finding) bool { return namesProcess(truth, f) }),
		Thread:   1 + slices.IndexFunc(accused, func(t contention.Thread) bool { return right(truth, t) }),
		Resource: place(func(f contention.Finding) bool { return isTrueResource(truth, f.Resource) }),
		Frame:    place(func(f contention.Finding) bool { return showsFunction(truth, f) }),
		Edge:     place(func(f contention.Finding) bool { return namesEdge(truth.Edges, f) }),
	}
}

func namesProcess(truth Truth, f contention.Finding) bool {
	return slices.ContainsFunc(f.Accused(), func(t contention.Thread) bool {
		return slices.ContainsFunc(truth.Culprits, func(c Culprit) bool { return c.PID == t.PID })
	})
}

func isTrueResource(truth Truth, found contention.Resource) bool {
	same := func(r contention.Resource) bool { return sameResource(r, found) }
	return same(truth.Resource) || slices.ContainsFunc(truth.Circle, same)
}

// sameResource compares kinds and what names the object: its inode, or its address. A
// program does not know the address of a kernel lock that it waits for, and a CPU has none,
// so of these the kind is all the truth there is.
func sameResource(truth, found contention.Resource) bool {
	if truth.Kind == "" || truth.Kind != found.Kind {
		return false
	}
	if truth.Address == 0 && truth.Inode == 0 {
		return truth.Kind == contention.CPU || strings.HasPrefix(string(truth.Kind), "kernel-")
	}
	return (truth.Address != 0 && truth.Address == found.Address) ||
		(truth.Inode != 0 && truth.Inode == found.Inode)
}

// showsFunction reports whether a finding shows the right function at work. Where the
// culprit let go is no answer to what it did before.
func showsFunction(truth Truth, f contention.Finding) bool {
	for _, s := range f.Stacks {
		if s.Role == contention.ReleaseStack {
			continue
		}
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
