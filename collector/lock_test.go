// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/bpf"
)

func newLock(t *testing.T) *LockCollector {
	t.Helper()
	needBPF(t)
	c, err := NewLockCollector()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

func pollLock(t *testing.T, c *LockCollector, interval time.Duration) []LockSample {
	t.Helper()
	samples, err := c.Poll(interval)
	require.NoError(t, err)
	for _, s := range samples {
		assert.GreaterOrEqual(t, s.OffcpuRatio, 0.0)
		assert.LessOrEqual(t, s.OffcpuRatio, 1.0)
		assert.Less(t, s.MaxOffcpuMs, float64(time.Hour.Milliseconds()), "an underflow")
		assert.NotEqual(t, os.Getpid(), int(s.Pid), "the collector itself")
		assert.NotZero(t, s.Pid)
	}
	return samples
}

func of(samples []LockSample, tid uint64) (LockSample, bool) {
	for _, s := range samples {
		if uint64(s.Pid) == tid {
			return s, true
		}
	}
	return LockSample{}, false
}

func TestWaitThatFillsTheWindowCounts(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "1000000")
	awaitSleep(t, p.pid)
	c := newLock(t)
	for range 2 {
		begin := time.Now()
		samples := pollLock(t, c, 150*time.Millisecond)
		took := time.Since(begin)
		s, ok := of(samples, uint64(p.pid))
		require.True(t, ok)
		assert.Equal(t, "target", s.Comm)
		assert.InDelta(t, 1, s.OffcpuRatio, 0.05)
		assert.Zero(t, s.BlockCount)
		assert.Zero(t, s.LastWaker)
		assert.InDelta(t, took.Seconds()*1000, s.MaxOffcpuMs, 50, "the longest belongs to the window")
	}
}

func TestLongestWaitBelongsToTheWindow(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "exit") // sleeps until it is told to go on
	awaitSleep(t, p.pid)
	c := newLock(t)
	s, ok := of(pollLock(t, c, 300*time.Millisecond), uint64(p.pid))
	require.True(t, ok)
	assert.Greater(t, s.MaxOffcpuMs, 290.0)

	// Naps of 20 ms: what was before leaves no trace.
	napper := startTarget(t, "sleep", "20")
	pollLock(t, c, 300*time.Millisecond)
	s, ok = of(pollLock(t, c, 100*time.Millisecond), uint64(napper.pid))
	require.True(t, ok)
	assert.NotZero(t, s.BlockCount)
	assert.Less(t, s.MaxOffcpuMs, 150.0)
	assert.GreaterOrEqual(t, s.MaxOffcpuMs, 15.0)
	assert.Zero(t, s.LastWaker, "woken by a timer")
	assert.Greater(t, s.OffcpuRatio, 0.5)
}

func TestWakersAndStacksOfAHandover(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "handover")
	a, b := p.said["a"], p.said["b"]
	c := newLock(t)
	samples := pollLock(t, c, 100*time.Millisecond)
	for tid, other := range map[uint64]uint64{a: b, b: a} {
		s, ok := of(samples, tid)
		require.True(t, ok)
		assert.Equal(t, other, uint64(s.LastWaker))
		assert.Greater(t, s.BlockCount, uint64(100))
		require.GreaterOrEqual(t, s.StackID, int32(0))
		stack := c.ResolveStack(s.StackID, 64)
		assert.Contains(t, strings.Join(stack, " "), "futex", "%v", stack)
		assert.NotContains(t, stack, "__schedule")
		assert.Len(t, c.ResolveStack(s.StackID, 2), 2)
	}
}

func TestStackOfASleep(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "5")
	c := newLock(t)
	s, ok := of(pollLock(t, c, 100*time.Millisecond), uint64(p.pid))
	require.True(t, ok)
	assert.Contains(t, strings.Join(c.ResolveStack(s.StackID, 64), " "), "nanosleep")
}

func TestStacksWithoutSymbols(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "5")
	c := newLock(t)
	c.kernel = nil
	s, ok := of(pollLock(t, c, 100*time.Millisecond), uint64(p.pid))
	require.True(t, ok)
	stack := c.ResolveStack(s.StackID, 64)
	require.NotEmpty(t, stack)
	for _, line := range stack {
		assert.Regexp(t, regexp.MustCompile(`^0xffff[0-9a-f]{12}$`), line)
	}
}

func TestUnknownStack(t *testing.T) {
	c := &LockCollector{}
	for _, id := range []int32{-1, 0, math.MaxInt32, math.MinInt32} {
		assert.Nil(t, c.ResolveStack(id, 10), "%d", id)
	}
}

func TestWantingACPUIsNotBlocking(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "hogs")
	c := newLock(t)
	samples := pollLock(t, c, 400*time.Millisecond)
	for _, tid := range threadsOf(t, p.pid) {
		s, _ := of(samples, tid) // none at all is right, too
		assert.Less(t, s.OffcpuRatio, 0.02, "%+v", s)
		assert.Less(t, s.MaxOffcpuMs, 5.0)
	}
}

func TestThreadThatEndsInTheWindowIsReportedOnce(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "brief")
	c := newLock(t)
	p.proceed(t)
	tid := p.read(t)["tid"]
	s, ok := of(pollLock(t, c, 0), tid)
	require.True(t, ok)
	assert.InDelta(t, 30, s.MaxOffcpuMs, 20)
	assert.NotZero(t, s.BlockCount)
	_, ok = of(pollLock(t, c, 20*time.Millisecond), tid)
	assert.False(t, ok, "in the next window it is gone")
}

func TestProcessThatIsDeadButNotReapedDoesNotBlock(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "exit")
	c := newLock(t)
	p.proceed(t) // it ends and nobody waits for it before the test does
	poll(t, "end of the target", func() bool {
		stat, err := os.ReadFile(procFile(p.pid, "stat"))
		require.NoError(t, err)
		return strings.Contains(string(stat), ") Z ")
	})
	pollLock(t, c, 0)
	_, ok := of(pollLock(t, c, 50*time.Millisecond), uint64(p.pid))
	assert.False(t, ok)
}

func TestReusedTidStartsAnew(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "reuse", "4")
	c := newLock(t)
	p.proceed(t)
	pid := p.read(t)["pid"]
	var seen int
	for _, s := range pollLock(t, c, 0) {
		if uint64(s.Pid) != pid {
			continue
		}
		seen++
		assert.InDelta(t, 20, s.MaxOffcpuMs, 19, "each life for itself")
		assert.LessOrEqual(t, s.BlockCount, uint64(5))
	}
	assert.Equal(t, 4, seen, "four lives of one tid")
}

// What a thread has done may vanish under the collector. Then it is not known, but
// never less than nothing.
func TestThreadWhoseEntryVanished(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "10")
	c := newLock(t)
	pollLock(t, c, 30*time.Millisecond)
	forgetThread(t, c.attachment, p.pid)
	pollLock(t, c, 50*time.Millisecond)
	_, err := c.attachment.watchExisting()
	require.NoError(t, err)
	s, ok := of(pollLock(t, c, 100*time.Millisecond), uint64(p.pid))
	require.True(t, ok)
	assert.Less(t, s.MaxOffcpuMs, 90.0)
	assert.Less(t, s.BlockCount, uint64(20))
}

func TestSampleNeverExceedsTheWindow(t *testing.T) {
	c := &LockCollector{stackIDs: make(map[uint64]int32)}
	s := c.sample(bpf.ThreadTotals{BlockedNs: 3e9, LongestNs: 2e9}, 1e9)
	assert.Equal(t, 1.0, s.OffcpuRatio)
	assert.Equal(t, 1000.0, s.MaxOffcpuMs)
	assert.Equal(t, int32(-1), s.StackID)
	assert.Equal(t, 1.0, c.sample(bpf.ThreadTotals{BlockedNs: 1}, 0).OffcpuRatio, "a window of no length")
	assert.Equal(t, c.stackID(77), c.stackID(77))
	assert.NotEqual(t, c.stackID(77), c.stackID(78))
}

func TestPartsOfAThreadAreAdded(t *testing.T) {
	part := func(tid uint32, start, blocked, longest uint64, waits uint32) bpf.ThreadTotals {
		return bpf.ThreadTotals{Thread: bpf.TaskID{Tid: tid, StartNs: start}, BlockedNs: blocked, LongestNs: longest, LongestStack: longest, Waits: waits}
	}
	got := addParts(
		[]bpf.ThreadTotals{part(1, 1, 10, 5, 2), part(2, 1, 10, 5, 2)},
		[]bpf.ThreadTotals{part(2, 1, 7, 6, 1), part(2, 9, 1, 1, 1), part(1, 1, 1, 1, 1)},
	)
	assert.Equal(t, []bpf.ThreadTotals{
		part(1, 1, 11, 5, 3),
		part(2, 1, 17, 6, 3),
		part(2, 9, 1, 1, 1), // another thread of the same tid
	}, got)
}

func TestLockCollectorAfterClose(t *testing.T) {
	needBPF(t)
	c, err := NewLockCollector()
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	_, err = c.Poll(time.Millisecond)
	require.ErrorIs(t, err, os.ErrClosed)
	assert.Nil(t, c.ResolveStack(0, 10))
}
