// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
)

// likeBpftrace is a tool that is used as bpftrace is.
var likeBpftrace = tool{
	name: "fake", programs: []string{"no-such-program", "fake-bpftrace"},
	start: startBpftrace(""), parse: parseTimes(contention.HoldingOffCPU),
}

func TestObserve(t *testing.T) {
	pid := victim(t)
	script := fmt.Sprintf(`printf "@time[%d, old, \n    hold+1\n]: 5000\n@time[3, b, ]: 7\n"; exit 0`, pid)
	fakeTool(t, "fake-bpftrace", untilInterrupted("echo noise; echo watching", script))
	o, err := observer{likeBpftrace}.Attach(t.Context(), pid)
	require.NoError(t, err)
	defer func() { assert.NoError(t, o.Close(), "twice") }()
	trace, err := o.Finish(t.Context(), contention.Window{})
	require.NoError(t, err)
	assert.Nil(t, trace)
	answer, itself := o.(harness.Answerer)
	require.True(t, itself)
	assert.Equal(t, []string{fmt.Sprintf("sleep[%d] 5µs", pid), "b[3] 7ns"}, ranking(answer.Answer()))
	assert.Equal(t, pid, answer.Answer().Findings[0].Culprit.PID)
	assert.Zero(t, o.Cost())
	require.NoError(t, o.Close())
}

// The threads of a target that has ended are known from the beginning.
func TestObserveATargetThatEnds(t *testing.T) {
	target := exec.Command("sleep", "1000")
	require.NoError(t, target.Start())
	pid := target.Process.Pid
	script := fmt.Sprintf(`printf "@time[%d, old, ]: 5000\n"; exit 0`, pid)
	fakeTool(t, "fake-bpftrace", untilInterrupted("echo watching", script))
	o, err := observer{likeBpftrace}.Attach(t.Context(), pid)
	require.NoError(t, err)
	defer o.Close()
	require.NoError(t, target.Process.Kill())
	require.Error(t, target.Wait())
	_, err = o.Finish(t.Context(), contention.Window{})
	require.NoError(t, err)
	assert.Equal(t, pid, o.(harness.Answerer).Answer().Findings[0].Culprit.PID)
}

func TestObserveWithATool(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		absent bool
		says   string
	}{
		"that fails":         {"echo no such probe >&2; exit 1", true, "start fake: absent: it ended before it watched: no such probe"},
		"that ends too soon": {"exit 0", true, "it ended before it watched"},
	} {
		t.Run(name, func(t *testing.T) {
			fakeTool(t, "fake-bpftrace", test.script)
			_, err := observer{likeBpftrace}.Attach(t.Context(), victim(t))
			assert.Equal(t, test.absent, errors.Is(err, harness.ErrAbsent))
			assert.ErrorContains(t, err, test.says)
		})
	}
}

func TestObserveWithAToolThatBreaksLater(t *testing.T) {
	for name, test := range map[string]struct{ last, says string }{
		"fails at the end": {"echo lost the map >&2; exit 3", "end fake: exit status 3: lost the map"},
		"says nonsense":    {`printf "@time[99999999999999999999, a, ]: 5\n"; exit 0`, "read what fake says: thread"},
	} {
		t.Run(name, func(t *testing.T) {
			fakeTool(t, "fake-bpftrace", untilInterrupted("echo watching", test.last))
			o, err := observer{likeBpftrace}.Attach(t.Context(), victim(t))
			require.NoError(t, err)
			defer o.Close()
			_, err = o.Finish(t.Context(), contention.Window{})
			assert.ErrorContains(t, err, test.says)
			assert.NotErrorIs(t, err, harness.ErrAbsent, "it could work here")
		})
	}
}

// What does not end by itself is killed, with its children.
func TestObserveWithAToolThatHangs(t *testing.T) {
	fakeTool(t, "fake-bpftrace", "sleep 1000")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := observer{likeBpftrace}.Attach(ctx, victim(t))
	require.ErrorIs(t, err, context.DeadlineExceeded)

	fakeTool(t, "fake-bpftrace", "trap '' INT\necho watching\nsleep 1000")
	o, err := observer{likeBpftrace}.Attach(t.Context(), victim(t))
	require.NoError(t, err)
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = o.Finish(ctx, contention.Window{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, o.Close())
}

func TestAbsentPeers(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	list := All()
	require.Len(t, list, 6)
	last := ""
	for _, p := range list {
		assert.True(t, results.IsPeer(p.Name))
		assert.Greater(t, p.Name, last)
		last = p.Name
		_, err := p.Attach(t.Context(), os.Getpid())
		assert.ErrorIs(t, err, harness.ErrAbsent)
		assert.ErrorContains(t, err, "is not installed")
		assert.ErrorIs(t, Available(p), harness.ErrAbsent)
	}
	assert.NoError(t, Available(harness.Peer{Name: "peer:other"}), "nothing is known against it")
}

func TestToolsThatNeedTracefs(t *testing.T) {
	fakeTool(t, "fake", "exit 0")
	_, err := tool{programs: []string{"fake"}}.find()
	require.NoError(t, err)
	_, err = tool{programs: []string{"fake"}, tracefs: true}.find()
	if _, missing := os.Stat(tracepoints); missing == nil {
		assert.NoError(t, err)
		return
	}
	assert.ErrorIs(t, err, harness.ErrAbsent)
	assert.ErrorContains(t, err, "fake needs tracefs")
}
