// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// firstLook is the shortest time after which an answer is asked for.
const firstLook = 50 * time.Millisecond

// detectedAfter is how much of a run an analyser has to see for its first accusation to be
// right: the least of firstLook, twice that, and so on. It is the whole window where only
// that is enough.
func detectedAfter(t *contention.Trace, analyze func(*contention.Trace) contention.Analysis, truth results.Truth) time.Duration {
	whole := t.Window.Length()
	for d := firstLook; d < whole; d *= 2 {
		if results.FirstIsRight(truth, analyze(beginning(t, d)).Findings) {
			return d
		}
	}
	return whole
}

// beginning is what had been seen of a trace when its window had lasted for d. What is
// found of open waits is found at the end, and not known then.
func beginning(t *contention.Trace, d time.Duration) *contention.Trace {
	part := *t
	part.Window.End = t.Window.Begin + d
	part.Waits = slices.Clone(t.Waits)
	for i := range part.Waits {
		part.Waits[i].Late = 0
	}
	part.Preemptions, part.Exits = slices.Clone(t.Preemptions), slices.Clone(t.Exits)
	part.Samples = slices.DeleteFunc(slices.Clone(t.Samples), func(s contention.Sample) bool { return s.At >= part.Window.End })
	censor(&part)
	return &part
}
