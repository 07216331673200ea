// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// whole is a trace from which everything can be lost.
func whole() *contention.Trace {
	t := &contention.Trace{
		Window:  contention.Window{Begin: 1, End: time.Second},
		Stacks:  []contention.Stack{nil, {{Function: "f"}}},
		Samples: []contention.Sample{{At: 5, Stack: 1}},
	}
	for i := range 1000 {
		at := time.Duration(i) * time.Millisecond
		t.Waits = append(t.Waits, contention.Wait{
			Resource: contention.Resource{Kind: contention.RWLock, Address: 1}, Begin: at, Woken: at + 1, Ran: at + 2,
			Owner: 7, Late: contention.OwnerRead | contention.Died, Stack: 1, KernelStack: 1,
			Waker: contention.Waker{Kind: contention.WokenByThread, Stack: 1},
		})
		t.Preemptions = append(t.Preemptions, contention.Preemption{Begin: at, Ran: at + 3, Stack: 1})
	}
	return t
}

// given is what a degraded analyser is given of a trace.
func given(t *testing.T, name string, trace *contention.Trace) *contention.Trace {
	t.Helper()
	var got *contention.Trace
	keep := Analyzer{Name: "a", Analyze: func(t *contention.Trace) contention.Analysis {
		got = t
		return contention.Analysis{}
	}}
	for _, a := range Degraded(keep) {
		if a.Name == "a@"+name {
			a.Analyze(trace)
		}
	}
	require.NotNil(t, got, name)
	return got
}

func TestDegradedLeaveTheTraceAndAreAlwaysTheSame(t *testing.T) {
	for _, l := range losses {
		trace := whole()
		got := given(t, l.name, trace)
		assert.Equal(t, whole(), trace, l.name)
		assert.NotEqual(t, trace, got, l.name)
		assert.Equal(t, got, given(t, l.name, whole()), l.name)
	}
}

func TestWhatIsLost(t *testing.T) {
	for name, left := range map[string]float64{"lost-tenth": 900, "lost-third": 667} {
		got := given(t, name, whole())
		assert.InDelta(t, left, len(got.Waits), 70)
		assert.InDelta(t, left, len(got.Preemptions), 70)
		assert.Equal(t, 2000, len(got.Waits)+len(got.Preemptions)+int(got.Loss.RingFull), "the losses are counted")
	}

	for _, w := range given(t, "no-owners", whole()).Waits {
		require.Zero(t, w.Owner)
		require.Equal(t, contention.Died, w.Late)
	}

	got := given(t, "no-stacks", whole())
	assert.Empty(t, got.Samples)
	for _, w := range got.Waits {
		require.Equal(t, contention.Futex, w.Resource.Kind)
		require.Zero(t, w.Stack+w.KernelStack+w.Waker.Stack)
	}

	known := 0
	got = given(t, "lost-wakers", whole())
	for _, w := range got.Waits {
		if w.Waker.Kind == contention.WokenByThread {
			known++
		}
	}
	assert.InDelta(t, 700, known, 70)
	assert.Equal(t, 1000, known+int(got.Loss.UnmatchedWake))
}
