// SPDX-License-Identifier: Apache-2.0

package baseline

import "github.com/os2026/ebpf-rca/contention"

// Analyzer is an analysis and its name.
type Analyzer struct {
	Name    string
	Analyze func(*contention.Trace) contention.Analysis
}

// seed is that of the analyser of All that guesses.
const seed = 1

// All lists the analysers in the order of their names.
func All() []Analyzer {
	return []Analyzer{
		{"last-waker", LastWaker},
		{"longest-waiter", LongestWaiter},
		{"most-cpu", MostCPU},
		{"most-wakeups", MostWakeups},
		{"random", Random(seed)},
	}
}
