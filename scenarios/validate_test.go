// SPDX-License-Identifier: Apache-2.0

package scenarios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/scenarios"
)

func TestValidateFindsWhatIsWrong(t *testing.T) {
	for want, spoil := range map[string]func(*scenarios.Scenario){
		"the name is not family-mechanism":        func(s *scenarios.Scenario) { s.Name = "mutex" },
		"no such family":                          func(s *scenarios.Scenario) { s.Name = "mutexes-hold" },
		"controls, and only they":                 func(s *scenarios.Scenario) { s.Name = "control-hold" },
		"no mechanism":                            func(s *scenarios.Scenario) { s.Mechanism = "" },
		"no kind of resource":                     func(s *scenarios.Scenario) { s.Kinds = nil },
		"not a series":                            func(s *scenarios.Scenario) { s.Needs.Kernel = "6" },
		"no dose":                                 func(s *scenarios.Scenario) { s.Doses = nil },
		"without contenders":                      func(s *scenarios.Scenario) { s.Doses[0].Contenders = 0 },
		"too short for a dose":                    func(s *scenarios.Scenario) { s.Doses[0].Hold = s.Duration / 2 },
		"the class accuses nobody":                func(s *scenarios.Scenario) { s.Class = contention.External },
		"no culprit":                              func(s *scenarios.Scenario) { s.Culprits = 0 },
		"several culprits":                        func(s *scenarios.Scenario) { s.Ordered = true },
		"a circle has no first":                   func(s *scenarios.Scenario) { s.Class, s.Ordered = contention.Deadlock, true },
		"somebody to be named who cannot be":      func(s *scenarios.Scenario) { s.Unnamed = true },
		"a culprit without a function":            func(s *scenarios.Scenario) { s.Functions = nil },
		"the floor is next to nothing":            func(s *scenarios.Scenario) { s.Floor = 0 },
		"no twin":                                 func(s *scenarios.Scenario) { s.Twin = "" },
		"no decoy":                                func(s *scenarios.Scenario) { s.Decoys = nil },
		"a decoy without a label that fits":       func(s *scenarios.Scenario) { s.Decoys[0].Label = "twenty-four-characters-!" },
		"a decoy that does not look guilty":       func(s *scenarios.Scenario) { s.Decoys[0].Looks = "" },
		"faults, and only they, have a hold time": func(s *scenarios.Scenario) { s.Doses[0].Hold = 0 },
		"no duration":                             func(s *scenarios.Scenario) { s.Duration = 0 },
		"no workload":                             func(s *scenarios.Scenario) { s.Workload = "" },
		"no number of CPUs":                       func(s *scenarios.Scenario) { s.Needs.CPUs = 0 },
		"a control with an answer":                func(s *scenarios.Scenario) { s.Control = true },
	} {
		s, ok := scenarios.Find("mutex-hold")
		require.True(t, ok)
		require.NoError(t, s.Validate())
		spoil(&s)
		assert.ErrorContains(t, s.Validate(), want)
	}
}
