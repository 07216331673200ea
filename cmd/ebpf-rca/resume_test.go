// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// resumed opens a folder to go on with, and returns what is to be played.
func resumed(t *testing.T, dir string, again ...int) (*results.Store, []results.Run, error) {
	t.Helper()
	store, plan, err := openStore(runOptions{resume: dir, rerun: again}, results.Env{})
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store, plan.Runs, nil
}

// Wherever a run is killed, what has a whole record stays and the rest is played.
func TestResumeAfterEveryByte(t *testing.T) {
	whole := folder(t, 2, right)
	data, err := os.ReadFile(filepath.Join(whole, results.RecordsFile))
	require.NoError(t, err)
	planned := openFolder(t, whole).Plan.Runs
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
	for killed := 0; killed <= len(data); killed += 7 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, results.RecordsFile), data[:killed], 0o644))
		recorded := bytes.Count(data[:killed], []byte("\n"))
		store, runs, err := resumed(t, dir)
		require.NoError(t, err)
		require.Equal(t, planned[recorded:], runs, "killed after %d bytes", killed)
		for _, run := range runs {
			require.NoError(t, store.Append(recordOf(run, right(run))))
		}
		f := openFolder(t, dir)
		require.False(t, f.Incomplete)
		require.Empty(t, f.Warnings, "nothing was played twice, and nothing is torn")
		after, err := os.ReadFile(filepath.Join(dir, results.RecordsFile))
		require.NoError(t, err)
		require.Equal(t, string(data), string(after))
	}
}

func openFolder(t *testing.T, dir string) *results.Folder {
	t.Helper()
	f, err := results.Open(dir)
	require.NoError(t, err)
	return f
}

func TestRerunPlaysSingleRuns(t *testing.T) {
	dir := folder(t, 2, func(r results.Run) results.Verdict {
		if r.Index == 3 {
			return "" // lost
		}
		return right(r)
	})
	store, runs, err := resumed(t, dir, 0)
	require.NoError(t, err)
	require.Len(t, runs, 1, "and not what is lost")
	assert.Equal(t, 0, runs[0].Index)
	require.NoError(t, store.Append(recordOf(runs[0], results.Miss)))
	f := openFolder(t, dir)
	assert.Equal(t, results.Miss, f.Records[0].Verdict)
	assert.Equal(t, []string{"run 0, rca, is recorded more than once: the last counts, earlier it was hit"}, f.Warnings)

	_, _, err = resumed(t, dir, 4)
	assert.ErrorContains(t, err, "--rerun 4: "+dir+" has no such run planned")
}

func TestResumeOnAnotherMachine(t *testing.T) {
	o := runOptions{resume: folder(t, 1, right)}
	var stderr bytes.Buffer
	err := o.checkMachine(results.Env{KernelRelease: "6.19.0"}, &stderr)
	assert.ErrorContains(t, err, "it was run on kernel 6.18.44, and this is 6.19.0")
	assert.Empty(t, stderr.String())
	require.NoError(t, o.checkMachine(results.Env{KernelRelease: "6.18.44", CPUs: 4, Load: []float64{1}}, &stderr))
	assert.Equal(t, "warning: cpus was ? when the run began and is 4 now\n", stderr.String())
}

func TestWatchersOf(t *testing.T) {
	for _, test := range []struct{ analyzers, want []string }{
		{[]string{"rca", "random"}, []string{"rca"}},
		{[]string{"peer:a", "rca", "random", "peer:b"}, []string{"peer:a", "rca", "peer:b"}},
		{[]string{"peer:a"}, []string{"peer:a"}},
	} {
		assert.Equal(t, test.want, watchersOf(results.Plan{Analyzers: test.analyzers}))
	}
}

func TestPlayedTwins(t *testing.T) {
	dir := folder(t, 2, right)
	f := openFolder(t, dir)
	fault, twin := f.Plan.Runs[0], f.Plan.Runs[1]
	require.Equal(t, contention.TwinVariant, twin.Variant)
	plan := f.Plan
	plan.Runs = []results.Run{fault}

	twins, err := playedTwins(dir, plan)
	require.NoError(t, err)
	assert.Empty(t, twins, "its ledger was not kept")

	store, _, err := resumed(t, dir, twin.Index)
	require.NoError(t, err)
	record := recordOf(twin, results.CorrectReject)
	record.Truth.Ledger = "ledgers/1.json.zst"
	data, err := json.Marshal(ledger.Ledger{Go: 1, Stop: 7})
	require.NoError(t, err)
	require.NoError(t, store.PutFile(record.Truth.Ledger, data))
	require.NoError(t, store.Append(record))
	twins, err = playedTwins(dir, plan)
	require.NoError(t, err)
	require.Len(t, twins, 1)
	assert.Equal(t, twin, twins[0].Run)
	assert.EqualValues(t, 7, twins[0].Ledger.Stop)
	assert.Empty(t, twins[0].Peer)

	require.NoError(t, store.PutFile(record.Truth.Ledger, []byte("[]")))
	_, err = playedTwins(dir, plan)
	assert.ErrorContains(t, err, "ledger of run 1, ledgers/1.json.zst: malformed")
	plan.Runs = []results.Run{twin}
	twins, err = playedTwins(dir, plan)
	require.NoError(t, err)
	assert.Empty(t, twins, "no fault of it is played")
}
