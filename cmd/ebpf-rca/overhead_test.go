// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/harness/load"
	"github.com/os2026/ebpf-rca/harness/overhead"
	"github.com/os2026/ebpf-rca/results"
)

func overheadLines(t *testing.T, text string) []results.OverheadLine {
	t.Helper()
	lines, warnings, err := results.ReadOverhead(strings.NewReader(text))
	require.NoError(t, err)
	require.Empty(t, warnings)
	return lines
}

// What no privilege is needed for: the noise of a machine.
func TestOverheadOfNobody(t *testing.T) {
	dir := loads(t, "futex-pingpong")
	flags := []string{"overhead", "--workload", "futex-pingpong,pipe-pingpong", "--observer", "none", "--pairs", "1", "--duration", "20ms", "--loads", dir}
	r := do(t, append(flags, "--json")...)
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.Empty(t, r.stderr, "no progress where nobody looks")
	lines := overheadLines(t, r.stdout)
	require.Len(t, lines, 2)
	none := lines[0]
	assert.Equal(t, [2]string{"futex-pingpong", "none"}, [2]string{none.Workload, none.Observer})
	assert.Equal(t, 2, none.Pairs, "made even")
	assert.Positive(t, none.Ratio)
	assert.Equal(t, none.CI, none.NoiseFloor)
	assert.Empty(t, none.NsPerEvent)
	assert.Equal(t, "pipe-pingpong", lines[1].Workload)
	assert.Contains(t, lines[1].Absent, "'make build' makes it")

	r = do(t, flags...)
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.Regexp(t, `(?m)^futex-pingpong: 2 pairs, unobserved runs differ by \d\.\d{3}–\d\.\d{3}$`, r.stdout)
	assert.Contains(t, r.stdout, "pipe-pingpong: absent: ")
}

func TestOverheadOfNothing(t *testing.T) {
	r := do(t, "overhead", "--workload", "futex-pingpong", "--observer", "none", "--loads", t.TempDir())
	assert.Equal(t, exitNothing, r.code)
	assert.Contains(t, r.stdout, "futex-pingpong: absent: ")
	assert.Contains(t, r.stderr, "none of the workloads can be had here")
}

func TestOverheadOfEmptyPrograms(t *testing.T) {
	needRoot(t)
	dir := loads(t, "futex-pingpong")
	t.Setenv("PATH", "/nonexistent")
	r := do(t, "overhead", "--json", "--workload", "futex-pingpong", "--observer", "empty,peer:offcputime", "--pairs", "2", "--duration", "100ms", "--loads", dir)
	require.Equal(t, exitGood, r.code, r.stderr)
	lines := overheadLines(t, r.stdout)
	require.Len(t, lines, 3)
	none, empty, peer := lines[0], lines[1], lines[2]
	assert.Equal(t, "none", none.Observer)
	assert.Equal(t, "empty", empty.Observer)
	assert.Equal(t, 2, empty.Pairs)
	assert.LessOrEqual(t, empty.CI[0], empty.Ratio)
	assert.LessOrEqual(t, empty.Ratio, empty.CI[1])
	assert.Equal(t, none.CI, empty.NoiseFloor)
	assert.Positive(t, empty.Throughput.Ratio)
	assert.Positive(t, empty.P99.Ratio)
	assert.Positive(t, empty.NsPerEvent["empty_switch"])
	assert.Positive(t, empty.NsPerEvent["empty_waking"])
	assert.Len(t, empty.NsPerEvent, 2)
	assert.Greater(t, empty.EventsPerSecond, 1000.0)
	assert.Positive(t, empty.ProgramShare)
	assert.Positive(t, empty.RSSBytes)
	assert.Zero(t, empty.MapBytes)
	assert.Contains(t, peer.Absent, "is not installed")
}

// Each observer of ours watches, and tells what it used.
func TestOverheadObservers(t *testing.T) {
	needRoot(t)
	all := load.All(loads(t, "futex-pingpong"))
	source, err := all[0].Open(t.Context())
	require.NoError(t, err)
	for _, c := range choices() {
		if c.watch == nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			run, err := source.Start(t.Context(), source.Few())
			require.NoError(t, err)
			defer run.Close()
			w, err := c.observer().Watch(t.Context(), run.PID(), true)
			require.NoError(t, err)
			defer func() { require.NoError(t, w.Close(), "twice") }()
			_, err = run.Do(t.Context(), func() {})
			require.NoError(t, err)
			used, err := w.Used()
			require.NoError(t, err)
			loss, err := w.Finish(t.Context())
			require.NoError(t, err)
			require.NoError(t, w.Close())

			assert.Positive(t, used.CPU)
			assert.Positive(t, used.RSSBytes)
			assert.Equal(t, c.name != overhead.Empty, used.MapBytes > 0)
			runs := uint64(0)
			for _, p := range used.Programs {
				runs += p.Runs
			}
			assert.Greater(t, runs, 2*source.Few(), "a turn is two switches and two wakings")
			assert.Zero(t, loss.Detached)
		})
	}
}

func TestOverheadGate(t *testing.T) {
	needRoot(t)
	r := do(t, "overhead", "--gate", "--limit", "0.000001", "--workload", "futex-pingpong", "--observer", "empty,default",
		"--pairs", "2", "--duration", "50ms", "--loads", loads(t, "futex-pingpong"))
	assert.Contains(t, []int{exitGood, exitBelow}, r.code, r.stderr)
	assert.Regexp(t, `(?m)^gate: futex-pingpong, at most 1e-06 times: (exceeded|not decidable): `, r.stdout)
	assert.Equal(t, r.code == exitBelow, strings.Contains(r.stdout, ": exceeded: "))
}

func TestRulings(t *testing.T) {
	limit := overhead.Limit{Workload: "w", Times: 3}
	for verdict, code := range map[overhead.Verdict]int{overhead.Kept: exitGood, overhead.NotDecidable: exitGood, overhead.Exceeded: exitBelow} {
		var told bytes.Buffer
		err := tellRulings(&told, []overhead.Ruling{{Limit: limit, Verdict: verdict, Reason: "so"}, {Limit: limit, Verdict: overhead.Kept, Reason: "too"}})
		if code == exitGood {
			require.NoError(t, err)
		} else {
			require.Equal(t, &exit{code: code}, err)
		}
		assert.Equal(t, "gate: w, at most 3 times: "+string(verdict)+": so\ngate: w, at most 3 times: kept: too\n", told.String())
	}
}

func TestOverheadThatIsStopped(t *testing.T) {
	dir := loads(t, "futex-pingpong", "pipe-pingpong")
	cmd := command(t, "overhead", "--json", "--workload", "futex-pingpong,pipe-pingpong", "--observer", "none", "--pairs", "1000", "--duration", "20ms", "--loads", dir)
	cmd.WaitDelay = deadline
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	poll(t, "child", func() bool { return hasChild(pid) })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	assert.Equal(t, exitInfra, cmd.ProcessState.ExitCode())
	assert.Equal(t, "stopped; what was measured by then is told\n", stderr.String())
	for _, l := range overheadLines(t, stdout.String()) {
		assert.Equal(t, "futex-pingpong", l.Workload, "the next was not begun")
	}
	awaitNobodyRuns(t, dir)
}

func TestKilledOverheadLeavesNothing(t *testing.T) {
	needRoot(t)
	dir := loads(t, "unrelated-switches")
	// It attaches and detaches in turns, so it may have detached when it is stopped.
	watched := 0
	for i := 0; i < kills/2 || watched == 0; i++ {
		require.Less(t, i, 5*kills, "it was killed while it watched")
		ripe := watchesChild
		if watched > 0 {
			ripe = after(rand.N(time.Second))
		}
		cmd := command(t, "overhead", "--workload", "unrelated-switches", "--observer", "empty,default", "--loads", dir)
		all := killed(t, cmd, ripe)
		watched += len(all.programs)
		awaitNobodyRuns(t, dir)
		awaitFreed(t, all)
	}
}
