// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

const ms = time.Millisecond

func id(tid int) contention.ThreadID { return contention.ThreadID{TID: tid, Start: time.Second} }

func lock(n int) contention.Resource {
	return contention.Resource{Kind: contention.Mutex, Address: contention.Address(n)}
}

// wait is from begin to end in ms; waker 0 is an interrupt, and an end of 0 none.
func wait(thread int, r contention.Resource, begin, end time.Duration, waker int) contention.Wait {
	w := contention.Wait{Thread: id(thread), Resource: r, Begin: begin * ms, Woken: end * ms, Ran: end * ms}
	switch {
	case end == 0:
	case waker == 0:
		w.Waker.Kind = contention.WokenByInterrupt
	default:
		w.Waker = contention.Waker{Kind: contention.WokenByThread, Thread: id(waker)}
	}
	return w
}

// trace is a window from 1000 to 2000 ms. Thread 9 is of a process that is not
// observed.
func trace() *contention.Trace {
	t := &contention.Trace{Window: contention.Window{Begin: 1000 * ms, End: 2000 * ms}}
	for tid := 1; tid <= 5; tid++ {
		t.Threads = append(t.Threads, contention.Thread{PID: 100, TID: tid, Start: time.Second})
	}
	t.Threads = append(t.Threads, contention.Thread{PID: 50, TID: 9, Start: time.Second})
	t.Waits = []contention.Wait{
		wait(2, lock(1), 1000, 1300, 3), // 3 was last, whoever held
		wait(2, lock(2), 1300, 1310, 4),
		wait(2, lock(2), 1320, 1330, 4),
		wait(2, lock(2), 1340, 1350, 4),
		wait(3, lock(1), 900, 1100, 9),                                              // 100 of it inside
		wait(4, contention.Resource{Kind: contention.Timer, TID: 4}, 1000, 1900, 0), // no waiting
		wait(3, contention.Resource{Kind: contention.Disk, TID: 3}, 1400, 1450, 0),
		wait(5, lock(1), 1800, 0, 0),
		wait(5, lock(1), 2100, 2200, 1), // behind the window
	}
	return t
}

func accusedTIDs(a contention.Analysis) []int {
	tids := []int{}
	for _, f := range a.Findings {
		tids = append(tids, f.Culprit.TID)
	}
	return tids
}

func charges(a contention.Analysis) map[int]time.Duration {
	m := make(map[int]time.Duration)
	for _, c := range a.Charges {
		m[c.Thread.TID] = c.Blame
	}
	return m
}

func TestLastWaker(t *testing.T) {
	a := LastWaker(trace())
	assert.Equal(t, []int{3, 9, 4}, accusedTIDs(a))
	assert.Equal(t, map[int]time.Duration{3: 300 * ms, 9: 100 * ms, 4: 30 * ms}, charges(a))
	assert.Equal(t, 50*ms, a.Totals.External, "the disk")
	f := a.Findings[0]
	assert.Equal(t, lock(1), f.Resource)
	assert.Equal(t, []contention.Hop{{Waiter: 2, Holder: 3, Resource: lock(1), Wait: 300 * ms, Evidence: contention.ByWaker}}, f.Chain)
	assert.InDelta(t, 300.0/430, f.Share, 1e-9)
	assert.Equal(t, 30*ms, a.Findings[2].Chain[0].Wait, "waits of one kind add up")
}

func TestLongestWaiter(t *testing.T) {
	a := LongestWaiter(trace())
	assert.Equal(t, map[int]time.Duration{2: 330 * ms, 3: 150 * ms}, charges(a))
	assert.Equal(t, []int{2, 3}, accusedTIDs(a), "who sleeps by choice, or waits still, is not counted")
}

func TestMostWakeups(t *testing.T) {
	a := MostWakeups(trace())
	assert.Equal(t, []int{4, 3, 9}, accusedTIDs(a))
	assert.Equal(t, 480*ms*3/5, a.Charges[0].Blame)
}

func TestMostCPU(t *testing.T) {
	// 1 never waits, 2 ran for 670, 3 for 850, 4 for 100, 5 for 800 less 100 for a CPU.
	without := trace()
	without.Preemptions = []contention.Preemption{{Thread: id(5), Begin: 1000 * ms, Ran: 1100 * ms}}
	assert.Equal(t, []int{1, 3, 5, 2, 4}, accusedTIDs(MostCPU(without)), "not 9, of which nothing is known")

	sampled := trace()
	for _, tid := range []int{3, 5, 5, 2, 5, 3} {
		sampled.Samples = append(sampled.Samples, contention.Sample{Thread: id(tid), At: 1500 * ms})
	}
	sampled.Samples = append(sampled.Samples, contention.Sample{Thread: id(1), At: 2500 * ms})
	assert.Equal(t, []int{5, 3, 2}, accusedTIDs(MostCPU(sampled)))
}

func TestRandom(t *testing.T) {
	first := make(map[int]int)
	for seed := range uint64(300) {
		a := Random(seed)(trace())
		require.Equal(t, a, Random(seed)(trace()), "the same seed, the same guess")
		require.Len(t, a.Findings, 5)
		first[a.Findings[0].Culprit.TID]++
	}
	assert.Len(t, first, 5, "each of the target is accused now and then")
	for tid, n := range first {
		assert.InDelta(t, 60, n, 30, "thread %d", tid)
	}
	later := trace()
	later.Window.Begin += ms
	assert.NotEqual(t, accusedTIDs(Random(1)(trace())), accusedTIDs(Random(1)(later)), "another time, another guess")
}

func TestAllConserveAndDependOnNothingElse(t *testing.T) {
	names := make(map[string]bool)
	for _, a := range All() {
		t.Run(a.Name, func(t *testing.T) {
			require.False(t, names[a.Name])
			names[a.Name] = true
			given := trace()
			got := a.Analyze(given)
			assert.Equal(t, trace(), given, "the trace is left as it is")
			var sum time.Duration
			for _, c := range got.Charges {
				sum += c.Blame
			}
			assert.Equal(t, got.Totals.Blame, sum)
			assert.Equal(t, got.Totals.WaitTime, got.Totals.Blame+got.Totals.External+got.Totals.Open)
			assert.Equal(t, 680*ms, got.Totals.WaitTime)
			assert.Equal(t, 200*ms, got.Totals.Open)
			assert.Equal(t, 7, got.Totals.Waits)
			assert.Equal(t, contention.KindTotal{Waits: 1, WaitTime: 900 * ms}, got.Totals.ByKind[contention.Timer])
			for i, f := range got.Findings {
				assert.Equal(t, i+1, f.Rank)
				assert.True(t, f.Class.Accuses())
				assert.Positive(t, f.Blame)
				assert.NotEmpty(t, f.Resource.Kind)
			}
			slices.Reverse(given.Waits)
			slices.Reverse(given.Threads)
			assert.Equal(t, got, a.Analyze(given), "the order of events does not matter")

			empty := a.Analyze(&contention.Trace{})
			assert.Empty(t, empty.Findings)
			assert.Empty(t, empty.Charges)
			assert.Zero(t, empty.Totals.WaitTime)
		})
	}
	assert.Len(t, names, 5)
}
