// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/results"
)

func TestVerdictsOfTheFixture(t *testing.T) {
	f, err := results.Open(fixture)
	require.NoError(t, err)
	v := newVerdicts(f, results.Score(f))
	counts := map[string][]int{}
	sum := 0
	for _, row := range v.Rows {
		counts[row.Mark.Word] = row.Counts
		sum += row.Counts[0]
	}
	assert.Equal(t, len(f.Plan.Runs), sum, "none is dropped")
	assert.Equal(t, []int{1, 0}, counts["hit"])
	assert.Equal(t, []int{1, 2}, counts["false alarm"])
	assert.Equal(t, []int{1, 1}, counts["invalid"])
	assert.Equal(t, []int{1, 1}, counts["lost"])
	assert.Len(t, v.Reasons, 2)
}

func TestReasonsAreCountedAndBounded(t *testing.T) {
	f := &results.Folder{Plan: results.Plan{Analyzers: []string{"a"}}}
	add := func(scenario, why string) {
		f.Records = append(f.Records, results.Record{Run: results.Run{Scenario: scenario}, Analyzer: "a", Verdict: results.Untrusted, Reason: why})
	}
	add("x", "")
	for _, scenario := range []string{"x", "y", "x"} {
		add(scenario, "busy")
	}
	list := reasons(f)
	require.Len(t, list, 2)
	assert.Equal(t, reason{markOf(results.Untrusted), "busy", 3, []string{"x", "y"}}, list[0], "the most frequent first")
	assert.Equal(t, "no reason given", list[1].Text)

	for i := range mostReasons {
		add("x", fmt.Sprint(i))
	}
	v := newVerdicts(f, results.Score(f))
	assert.Len(t, v.Reasons, mostReasons)
	assert.Equal(t, 2, v.Left)
}
