// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// Questions are scenarios as a plan knows them, each at its first dose.
func Questions(list []scenarios.Scenario) []results.Question {
	out := make([]results.Question, len(list))
	for i, s := range list {
		out[i] = results.Question{Scenario: s.Name, Variants: s.Variants(), Doses: []contention.Dose{firstDose(s)}}
	}
	return out
}

// Sweep are scenarios as a plan knows them, each at the doses at which it is asked from
// which on its fault is found.
func Sweep(list []scenarios.Scenario) []results.Question {
	out := make([]results.Question, len(list))
	for i, s := range list {
		out[i] = results.Question{Scenario: s.Name, Variants: s.Variants(), Doses: s.Sweep()}
	}
	return out
}

func firstDose(s scenarios.Scenario) contention.Dose {
	if len(s.Doses) == 0 {
		return contention.Dose{}
	}
	return s.Doses[0]
}
