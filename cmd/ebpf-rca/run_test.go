// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

func TestRun(t *testing.T) {
	needRoot(t)
	workloads := stage(t, "mutex-hold")
	summary := filepath.Join(t.TempDir(), "step-summary")
	require.NoError(t, os.WriteFile(summary, []byte("before\n"), 0o644))
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	var dir string
	var r result
	for range 5 { // other tests may keep the machine too busy to be trusted
		dir = filepath.Join(t.TempDir(), "new", "folder")
		r = do(t, "run", "--run", "^mutex-hold$", "--count", "1", "--seed", "2", "--analyzer", "rca,last-waker", "--keep-capture",
			"--workloads", workloads, "--out", dir)
		if !strings.Contains(r.stderr, string(results.Untrusted)) {
			break
		}
	}
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.Contains(t, r.stderr, "results go to "+dir)
	assert.Contains(t, r.stderr, "/2 mutex-hold fault, seed 2: hit")
	assert.Contains(t, r.stderr, "/2 mutex-hold twin, seed 2: correct-reject")
	assert.NotContains(t, r.stderr, "\x1b")
	assert.Contains(t, r.stdout, "mutex-hold")
	assert.Contains(t, r.stdout, "last-waker")

	f, err := results.Open(dir)
	require.NoError(t, err)
	assert.Empty(t, f.Warnings)
	assert.False(t, f.Incomplete)
	assert.Equal(t, []string{"rca", "last-waker"}, f.Plan.Analyzers)
	assert.Equal(t, kernelRelease(), f.Env.KernelRelease)
	require.Len(t, f.Records, 4)
	for _, record := range f.Records {
		assert.Equal(t, record.Totals.WaitTime, record.Totals.Blame+record.Totals.External+record.Totals.Open)
		if record.Analyzer == "rca" && record.Variant == contention.FaultVariant {
			assert.Equal(t, 1, record.Ranks.Thread)
			assert.Equal(t, 1, record.Ranks.Frame)
		}
		_, err := results.ReadFile(dir, record.Truth.Ledger)
		assert.NoError(t, err)
		if record.Analyzer == "rca" {
			again := diagnoses(t, do(t, "replay", "--json", filepath.Join(dir, record.Capture)).stdout)
			require.Len(t, again, 1)
			assert.Equal(t, record.Findings, again[0].Findings[:min(results.MaxFindings, len(again[0].Findings))])
			assert.Equal(t, record.Totals, again[0].Totals)
		}
	}
	for _, name := range []string{"bench.txt", "junit.xml", "summary.md", reportFile} {
		assert.FileExists(t, filepath.Join(dir, name))
	}
	text, err := os.ReadFile(summary)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "before\n") && strings.Contains(string(text), "mutex-hold"))

	scored := do(t, "score", dir)
	assert.Equal(t, exitGood, scored.code)
	assert.Equal(t, r.stdout, scored.stdout, "the same again without root")

	again := do(t, "run", "--run", "^mutex-hold$", "--workloads", workloads, "--out", dir)
	assert.Equal(t, exitUsage, again.code)
	assert.Contains(t, again.stderr, "--resume "+dir)

	resumed := do(t, "run", "--resume", dir, "--workloads", workloads)
	assert.Equal(t, exitGood, resumed.code, resumed.stderr)
	assert.NotContains(t, resumed.stderr, "/2 mutex-hold", "nothing is left to do")
}

func TestRunGoesOnWhereItStopped(t *testing.T) {
	needRoot(t)
	workloads := stage(t, "mutex-hold")
	dir := filepath.Join(t.TempDir(), "run")
	cmd := command(t, "run", "--run", "^mutex-hold$", "--count", "2", "--workloads", workloads, "--out", dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	poll(t, "first record", func() bool {
		data, _ := os.ReadFile(filepath.Join(dir, results.RecordsFile))
		return bytes.Contains(data, []byte("\n"))
	})
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	assert.Equal(t, exitInfra, cmd.ProcessState.ExitCode(), "incomplete is never good")
	assert.Contains(t, stderr.String(), "'ebpf-rca run --resume "+dir+"' goes on")
	assert.Contains(t, stderr.String(), "left no record")
	assert.Contains(t, stdout.String(), "mutex-hold", "what there is, is told")
	awaitNobodyRuns(t, workloads)

	r := do(t, "run", "--resume", dir, "--workloads", workloads)
	assert.NotContains(t, r.stderr, "left no record")
	f, err := results.Open(dir)
	require.NoError(t, err)
	assert.False(t, f.Incomplete)
	assert.Empty(t, f.Warnings, "nothing was played twice")
}

// smallDisk mounts a disk of a size for the time of the test.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, unix.Mount("none", dir, "tmpfs", 0, "size="+size))
	t.Cleanup(func() { assert.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

func TestRunIntoAFullDisk(t *testing.T) {
	needRoot(t)
	workloads := stage(t, "mutex-hold")
	for _, size := range []string{"4k", "12k"} {
		t.Run(size, func(t *testing.T) {
			dir := filepath.Join(smallDisk(t, size), "run")
			r := do(t, "run", "--run", "^mutex-hold$", "--count", "3", "--workloads", workloads, "--out", dir)
			assert.Equal(t, exitInfra, r.code)
			assert.Contains(t, r.stderr, syscall.ENOSPC.Error())
			awaitNobodyRuns(t, workloads)

			scored := do(t, "score", dir)
			if scored.code == exitUsage {
				assert.NoDirExists(t, dir, "nothing half-written is left")
				return
			}
			assert.Equal(t, exitInfra, scored.code)
			assert.Contains(t, scored.stderr, "left no record")
		})
	}
}

func TestRunWithoutWorkloads(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	for _, dir := range []string{"/nonexistent", t.TempDir()} {
		r := do(t, "run", "--run", "^mutex-hold$", "--workloads", dir, "--out", out)
		assert.Equal(t, exitNothing, r.code)
		assert.Contains(t, r.stderr, filepath.Join(dir, "mutex-hold"))
		assert.Contains(t, r.stderr, "'make build' makes them")
	}
	assert.NoDirExists(t, out)
}

func TestDoseSweepIsPlanned(t *testing.T) {
	o := runOptions{run: "^(mutex-hold|control-quiet)$", count: 1, seed: 1, analyzers: []string{"rca"}, doseSweep: true}
	programs, err := o.needed()
	require.NoError(t, err)
	assert.Equal(t, []string{"mutex-hold", "control-quiet", "noise"}, programs)

	o.out = filepath.Join(t.TempDir(), "run")
	store, plan, err := openStore(o, results.Env{})
	require.NoError(t, err)
	require.NoError(t, store.Close())
	assert.True(t, plan.Swept())
	doses := map[contention.Dose]int{}
	for _, r := range plan.Runs {
		doses[r.Dose]++
	}
	assert.Equal(t, 2, doses[contention.Dose{Hold: 50 * time.Millisecond / 64, Contenders: 8}], "a fault and its twin")
	assert.Equal(t, 1, doses[contention.Dose{Contenders: 4, Noise: 32}], "a control")

	again := runOptions{resume: o.out}
	programs, err = again.needed()
	require.NoError(t, err)
	assert.Equal(t, []string{"mutex-hold", "control-quiet", "noise"}, programs)

	r := do(t, "run", "--resume", o.out, "--dose-sweep")
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, "--dose-sweep and --resume exclude each other")
}
