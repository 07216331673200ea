// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

func TestExportWritesAllIntoTheFolder(t *testing.T) {
	dir := folder(t, 1, right)
	before, err := os.ReadFile(filepath.Join(dir, results.RecordsFile))
	require.NoError(t, err)
	r := do(t, "export", dir)
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.Empty(t, r.stdout)
	for _, f := range formats() {
		alone := do(t, "export", dir, "--format", f.name)
		require.Equal(t, exitGood, alone.code, alone.stderr)
		data, err := os.ReadFile(filepath.Join(dir, f.file))
		require.NoError(t, err)
		assert.Equal(t, string(data), alone.stdout, f.name)
	}
	after, err := os.ReadFile(filepath.Join(dir, results.RecordsFile))
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

func TestExportReadsBack(t *testing.T) {
	dir := folder(t, 1, right)
	out := filepath.Join(t.TempDir(), "out")
	for name, check := range map[string]func(data []byte) error{
		"junit":       func(data []byte) error { return xml.Unmarshal(data, new(struct{})) },
		"ctrf":        func(data []byte) error { return json.Unmarshal(data, new(struct{})) },
		"pprof-found": func(data []byte) error { _, err := profile.ParseData(data); return err },
		"pprof-true":  func(data []byte) error { _, err := profile.ParseData(data); return err },
	} {
		r := do(t, "export", dir, "--format", name, "-o", out)
		require.Equal(t, exitGood, r.code, r.stderr)
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		assert.NoError(t, check(data), name)
	}
}

// The verdict told is that of the findings, as with score.
func TestExportGradesAgain(t *testing.T) {
	dir := folder(t, 1, right)
	path := filepath.Join(dir, results.RecordsFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(replaceOnce(t, string(text), `"verdict":"hit"`, `"verdict":"miss"`)), 0o644))
	r := do(t, "export", dir, "--format", "ctrf")
	assert.Contains(t, r.stderr, "recorded as miss, graded as hit")
	assert.Contains(t, r.stdout, `"failed": 0`)
}

func TestExportOfAnotherAnalyser(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := runOptions{run: "^mutex-hold$", count: 1, seed: 1, out: dir, analyzers: []string{"rca", "last-waker"}}
	store, plan, err := openStore(o, results.Env{})
	require.NoError(t, err)
	for _, run := range plan.Runs {
		good, bad := recordOf(run, right(run)), recordOf(run, results.Miss)
		if run.Variant != contention.FaultVariant {
			bad.Verdict = results.FalseAlarm
		}
		bad.Analyzer = "last-waker"
		require.NoError(t, store.Append(good))
		require.NoError(t, store.Append(bad))
	}
	require.NoError(t, store.Close())
	assert.Contains(t, do(t, "export", dir, "--format", "junit").stdout, `tests="2" failures="0"`)
	assert.Contains(t, do(t, "export", dir, "--format", "junit", "--analyzer", "last-waker").stdout, `tests="2" failures="2"`)
	r := do(t, "export", dir, "--format", "junit", "--analyzer", "random")
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, "--analyzer random: the folder has rca, last-waker")
}

func TestExportOfOneRun(t *testing.T) {
	dir := folder(t, 1, right)
	r := do(t, "export", dir, "--format", "perfetto", "--run", "0")
	assert.Equal(t, exitInfra, r.code)
	assert.Contains(t, r.stderr, "ledger of run 0: none was kept")
	r = do(t, "export", dir, "--format", "perfetto", "--run", "9")
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, "--run 9: "+dir+" has no such run planned")

	store, runs, err := resumed(t, dir, 0)
	require.NoError(t, err)
	record := recordOf(runs[0], results.Hit)
	record.Truth.Ledger = "ledgers/0.json.zst"
	data, err := json.Marshal(ledger.Ledger{Go: 1, Stop: 7, Threads: []ledger.Thread{{Thread: contention.Thread{PID: 1, TID: 7}}}})
	require.NoError(t, err)
	require.NoError(t, store.PutFile(record.Truth.Ledger, data))
	require.NoError(t, store.Append(record))
	r = do(t, "export", dir, "--format", "perfetto", "--run", "0")
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.True(t, json.Valid([]byte(r.stdout)))
	assert.Contains(t, r.stdout, "rca found: infra", "its ledger marks no culprit")
}
