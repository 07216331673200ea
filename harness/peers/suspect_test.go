// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

type parser = func(io.Reader, target) ([]suspect, error)

// captured is what a tool printed of a run of mutex-hold on Linux 6.18, cut to some whole
// entries, and the measures in it, added up by another program.
func captured(t *testing.T, file string, parse parser, watched target) contention.Analysis {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	require.NoError(t, err)
	defer f.Close()
	list, err := parse(f, watched)
	require.NoError(t, err)
	return rank(list)
}

// mutexHold is the target of a captured run: a process with the threads w0, w1 and so on.
func mutexHold(pid int, tids ...int) target {
	t := target{pids: []int{pid}, threads: []contention.Thread{{PID: pid, TID: pid, Comm: "mutex-hold"}}}
	for i, tid := range tids {
		t.threads = append(t.threads, contention.Thread{PID: pid, TID: tid, Comm: fmt.Sprintf("w%d", i)})
	}
	return t
}

func inARow(first int) []int {
	tids := make([]int, 9)
	for i := range tids {
		tids[i] = first + i
	}
	return tids
}

// ranking is who is accused and of how much.
func ranking(a contention.Analysis) []string {
	var list []string
	for _, f := range a.Findings {
		list = append(list, fmt.Sprintf("%s[%d] %v", f.Culprit.Comm, f.Culprit.TID, f.Blame))
	}
	return list
}

// fuzzParser checks that whatever a tool prints gives a ranking or an error.
func fuzzParser(f *testing.F, file string, parse parser) {
	data, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(f, err)
	f.Add(data)
	f.Add(data[:len(data)/2])
	watched := mutexHold(20000, inARow(20001)...)
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parse(bytes.NewReader(data), watched)
		if err != nil {
			return
		}
		last := time.Duration(math.MaxInt64)
		for i, finding := range rank(list).Findings {
			assert.Equal(t, i+1, finding.Rank)
			assert.Positive(t, finding.Blame)
			assert.LessOrEqual(t, finding.Blame, last)
			last = finding.Blame
		}
	})
}

func TestRank(t *testing.T) {
	var all suspects
	frame := contention.Stack{{Function: "hold"}}
	thread := func(tid int) contention.Thread { return contention.Thread{PID: 1, TID: tid} }
	for i := range mostStacks + 1 {
		all.add(thread(7), time.Duration(1+i), contention.HoldingOffCPU, frame)
	}
	all.add(thread(9), 42, contention.ReleaseStack, nil)
	all.add(thread(8), 42, contention.ReleaseStack, nil)
	all.add(thread(6), 0, contention.ReleaseStack, frame)
	a := rank(all.list)
	assert.Equal(t, []string{"[8] 42ns", "[9] 42ns", "[7] 21ns"}, ranking(a))
	assert.InDelta(t, 0.4, a.Findings[0].Share, 1e-12)
	assert.Empty(t, a.Findings[0].Class)
	assert.True(t, a.Findings[0].Class.Accuses())
	stacks := a.Findings[2].Stacks
	require.Len(t, stacks, mostStacks)
	assert.Equal(t, contention.WeightedStack{Role: contention.HoldingOffCPU, Weight: 6, Frames: frame}, stacks[0])
	assert.Zero(t, a.Totals)
	assert.Empty(t, a.Charges)

	for tid := range 30 {
		all.add(thread(100+tid), 1, contention.ReleaseStack, nil)
	}
	assert.Len(t, rank(all.list).Findings, results.MaxFindings)
	assert.Empty(t, rank(nil).Findings)
}

func TestMeasuresStayInRange(t *testing.T) {
	var all suspects
	all.add(contention.Thread{TID: 1}, math.MaxInt64, "", nil)
	all.add(contention.Thread{TID: 1}, 5, "", nil)
	assert.Equal(t, time.Duration(math.MaxInt64), all.list[0].measure)
}

func TestFrameOf(t *testing.T) {
	for text, want := range map[string]string{
		"    hold_sleeping+23":               "hold_sleeping",
		"    entry_SYSCALL_64_after_hwframe": "entry_SYSCALL_64_after_hwframe",
		"    [unknown]":                      "",
		"    [Missed User Stack]":            "",
		"    0x7f62dd684193":                 "",
		"    -":                              "",
		"":                                   "",
	} {
		frame, ok := frameOf(text)
		assert.Equal(t, want, frame.Function)
		assert.Equal(t, want != "", ok, text)
	}
}
