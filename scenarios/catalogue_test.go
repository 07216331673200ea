// SPDX-License-Identifier: Apache-2.0

package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/scenarios"
)

func TestCatalogueIsValid(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range scenarios.Catalogue() {
		assert.NoError(t, s.Validate())
		assert.False(t, seen[s.Name], "%s is listed twice", s.Name)
		seen[s.Name] = true
	}
}

// Each program but the noise belongs to a scenario and each scenario has its program.
func TestCatalogueAndWorkloadsAgree(t *testing.T) {
	files, err := filepath.Glob("workload/*.c")
	require.NoError(t, err)
	var programs []string
	want := []string{scenarios.Noise}
	for _, f := range files {
		programs = append(programs, strings.TrimSuffix(filepath.Base(f), ".c"))
	}
	for _, s := range scenarios.Catalogue() {
		want = append(want, s.Workload)
	}
	assert.ElementsMatch(t, want, programs)
}

// A function that is graded has to be a function of the program that is not inlined.
func TestGradedFunctionsExist(t *testing.T) {
	for _, s := range scenarios.Catalogue() {
		source, err := os.ReadFile(filepath.Join("workload", s.Workload+".c"))
		require.NoError(t, err)
		for _, f := range s.Functions {
			assert.Regexp(t, `static OUTLINED void `+f+`\(`, string(source), s.Name)
		}
	}
}

func TestFind(t *testing.T) {
	s, ok := scenarios.Find("mutex-convoy")
	require.True(t, ok)
	assert.Equal(t, "mutex-convoy", s.Name)
	_, ok = scenarios.Find("mutex")
	assert.False(t, ok)
}

func TestSmoke(t *testing.T) {
	var smoke []string
	for _, s := range scenarios.Catalogue() {
		if s.Smoke {
			smoke = append(smoke, s.Name)
		}
	}
	assert.Equal(t, []string{
		"mutex-hold", "mutex-convoy", "futex-raw", "pipe-slow-writer", "control-pipe-balanced", "control-idle-pool",
	}, smoke)
}
