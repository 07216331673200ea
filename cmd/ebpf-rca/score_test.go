// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/rca/baseline"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// accusation is a finding that accuses one thread.
func accusation(tid int) contention.Finding {
	return contention.Finding{
		Rank: 1, Class: contention.LockHolder, Blame: 1e9, Share: 1, Confidence: 1,
		Culprit: &contention.Thread{PID: 1, TID: tid, Start: 1e9},
	}
}

// folder makes a result folder with count seeds of mutex-hold, in which the verdict
// on the n-th planned run is n's; one without a verdict leaves no record.
func folder(t *testing.T, count int, verdict func(results.Run) results.Verdict) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	s, known := scenarios.Find("mutex-hold")
	require.True(t, known)
	plan, err := results.NewPlan(results.PlanOptions{
		RunID: "20261130T131500Z-6.18.44-1f3a", Questions: harness.Questions([]scenarios.Scenario{s}), Count: count, Seed: 1, Analyzers: []string{"rca"},
	})
	require.NoError(t, err)
	store, err := results.Create(dir, plan, results.Env{KernelRelease: "6.18.44"}, results.StoreOptions{})
	require.NoError(t, err)
	for _, planned := range plan.Runs {
		v := verdict(planned)
		if v == "" {
			continue
		}
		require.NoError(t, store.Append(recordOf(planned, v)))
	}
	require.NoError(t, store.Close())
	return dir
}

func right(r results.Run) results.Verdict {
	if r.Variant == contention.FaultVariant {
		return results.Hit
	}
	return results.CorrectReject
}

func TestScore(t *testing.T) {
	for name, test := range map[string]struct {
		verdict func(results.Run) results.Verdict
		code    int
		says    string
	}{
		"good": {right, exitGood, ""},
		"a fault is missed": {func(r results.Run) results.Verdict {
			if r.Index == 0 && r.Variant == contention.FaultVariant {
				return results.Miss
			}
			return right(r)
		}, exitBelow, "2 of 3 faults were found"},
		"a twin is accused": {func(r results.Run) results.Verdict {
			if r.Seed == 2 && r.Variant == contention.TwinVariant {
				return results.FalseAlarm
			}
			return right(r)
		}, exitBelow, "accused somebody"},
		"one left no record": {func(r results.Run) results.Verdict {
			if r.Index == 4 {
				return ""
			}
			return right(r)
		}, exitInfra, "1 of 6 planned runs left no record"},
		"a fault did not bite": {func(r results.Run) results.Verdict {
			if r.Index == 0 {
				return results.Invalid
			}
			return right(r)
		}, exitInfra, "2 of 3 fault runs are valid"},
		"nothing could run": {func(results.Run) results.Verdict { return results.Unsupported }, exitNothing, "no run could be graded"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, 3, test.verdict)
			r := do(t, "score", dir)
			assert.Equal(t, test.code, r.code, r.stderr)
			assert.Contains(t, r.stderr, test.says)
			assert.Contains(t, r.stdout, "mutex-hold")
			asJSON := do(t, "score", "--json", dir)
			assert.Equal(t, test.code, asJSON.code)
			assert.True(t, json.Valid([]byte(asJSON.stdout)))
		})
	}
}

// The verdict is that of the findings and the truth, whatever the record claims.
func TestScoreGradesAgain(t *testing.T) {
	dir := folder(t, 1, right)
	path := filepath.Join(dir, results.RecordsFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(replaceOnce(t, string(text), `"verdict":"hit"`, `"verdict":"miss"`)), 0o644))
	r := do(t, "score", dir)
	assert.Equal(t, exitGood, r.code, r.stderr)
	assert.Contains(t, r.stderr, "recorded as miss, graded as hit")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(after), `"verdict":"miss"`, "the folder is not changed")
}

func TestScoreTellsDoubts(t *testing.T) {
	dir := folder(t, 1, func(r results.Run) results.Verdict {
		if r.Variant == contention.FaultVariant {
			return results.Miss
		}
		return results.FalseAlarm
	})
	const doubt = "rca accuses somebody in 1 of 1 runs without a culprit"
	r := do(t, "score", dir)
	assert.Contains(t, r.stderr, "doubt: "+doubt)
	assert.Contains(t, r.stderr, "doubt: the ledgers of 2 of 2 records are not there")
	asJSON := do(t, "score", "--json", dir)
	var scores results.Scores
	require.NoError(t, json.Unmarshal([]byte(asJSON.stdout), &scores))
	assert.Condition(t, func() bool {
		return slices.ContainsFunc(scores.Doubts, func(d string) bool { return strings.HasPrefix(d, doubt) })
	}, "%q", scores.Doubts)
}

func TestTellDoubtsStaysShort(t *testing.T) {
	var b strings.Builder
	tellDoubts(&b, make([]string, 50))
	assert.Equal(t, mostDoubts+1, strings.Count(b.String(), "\n"))
	assert.Contains(t, b.String(), "doubt: and 10 more, see --json\n")
}

// What package results takes for a null analyser is what there is of them.
func TestNullAnalyzers(t *testing.T) {
	var names []string
	for _, b := range baseline.All() {
		names = append(names, b.Name)
	}
	assert.Equal(t, names, results.NullAnalyzers)
}

func TestScoreOfAnotherVersion(t *testing.T) {
	dir := folder(t, 1, right)
	path := filepath.Join(dir, results.PlanFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(replaceOnce(t, string(text), results.PlanSchema, "ebpf-rca/plan/2")), 0o644))
	for _, args := range [][]string{{"score", dir}, {"compare", dir, dir}} {
		r := do(t, args...)
		assert.Equal(t, exitInfra, r.code)
		assert.Contains(t, r.stderr, `unknown schema "ebpf-rca/plan/2"`)
		assert.Empty(t, r.stdout)
	}
}
