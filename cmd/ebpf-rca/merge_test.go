// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// shards makes the folders of a plan run in so many parts, all of it right.
func shards(t *testing.T, of int) []string {
	t.Helper()
	var dirs []string
	for number := 1; number <= of; number++ {
		dir := filepath.Join(t.TempDir(), "part")
		o := runOptions{
			run: "^(mutex|pipe)-", count: 2, seed: 1, out: dir, analyzers: []string{"rca"},
			shard: results.Shard{Number: number, Of: of},
		}
		require.NoError(t, o.check())
		store, plan, err := openStore(o, results.Env{KernelRelease: kernelRelease(), CPUs: 2})
		require.NoError(t, err)
		for _, planned := range plan.Runs {
			require.NoError(t, store.Append(recordOf(planned, right(planned))))
		}
		require.NoError(t, store.Close())
		dirs = append(dirs, dir)
	}
	return dirs
}

// recordOf is the record of a run with a verdict, and findings that merit it.
func recordOf(planned results.Run, v results.Verdict) results.Record {
	r := results.Record{Run: planned, Analyzer: "rca", Verdict: v}
	if planned.Variant == contention.FaultVariant {
		r.Truth.Culprits = []results.Culprit{{PID: 1, TID: 7, Start: 1e9}}
	}
	switch v {
	case results.Hit:
		r.Findings = []contention.Finding{accusation(7)}
	case results.Miss, results.FalseAlarm:
		r.Findings = []contention.Finding{accusation(8)}
	}
	return r
}

func TestMerge(t *testing.T) {
	dirs := shards(t, 3)
	summary := filepath.Join(t.TempDir(), "step-summary")
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	out := filepath.Join(t.TempDir(), "whole")
	r := do(t, append([]string{"merge", "--out", out}, dirs...)...)
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.True(t, strings.HasPrefix(r.stderr, fmt.Sprintf("results are in %s\n", out)), r.stderr)
	assert.NotContains(t, r.stderr, "warning:")
	assert.Contains(t, r.stdout, "mutex-hold")
	assert.FileExists(t, filepath.Join(out, "junit.xml"))
	assert.FileExists(t, summary)
	scored := do(t, "score", out)
	assert.Equal(t, exitGood, scored.code)
	assert.Equal(t, r.stdout, scored.stdout)

	again := do(t, append([]string{"merge", "--out", out}, dirs...)...)
	assert.Equal(t, exitUsage, again.code)
	assert.Contains(t, again.stderr, "the folder is not empty")
}

func TestMergeWithoutOne(t *testing.T) {
	dirs := shards(t, 3)
	data, err := os.ReadFile(filepath.Join(dirs[0], results.RecordsFile))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dirs[0], results.RecordsFile), data[:len(data)-1], 0o644))
	r := do(t, "merge", dirs[0], dirs[2], "--out", filepath.Join(t.TempDir(), "whole"))
	assert.Equal(t, exitInfra, r.code, "what is lost is never good")
	assert.Contains(t, r.stderr, "warning: "+dirs[0]+": line")
	assert.Contains(t, r.stderr, "shard 2/3 was not there")
	assert.Contains(t, r.stderr, "left no record")
}

func TestMergeRefuses(t *testing.T) {
	dirs := shards(t, 2)
	out := filepath.Join(t.TempDir(), "whole")
	for says, args := range map[string][]string{
		"not parts of one plan": {dirs[0], folder(t, 3, right), "--out", out},
		"played twice":          {dirs[0], shards(t, 2)[0], "--out", out},
		"not a result folder":   {dirs[0], t.TempDir(), "--out", out},
		"--out DIR":             {dirs[0]},
		"one folder or more":    {"--out", out},
	} {
		r := do(t, append([]string{"merge"}, args...)...)
		assert.Equal(t, exitUsage, r.code, says)
		assert.Contains(t, r.stderr, says)
		assert.NoDirExists(t, out)
	}
}
