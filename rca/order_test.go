// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestCompareWaitsTellsAllApart(t *testing.T) {
	// Each differs from the first in one field.
	waits := []contention.Wait{
		{}, {Begin: 1}, {Thread: id(1)}, {Woken: 1}, {Ran: 1}, {Resource: mutex(0)}, {Owner: 1}, {Stack: 1},
		{KernelStack: 1}, {Occupant: id(1)}, {Waker: contention.Waker{Kind: contention.WokenByThread}},
		{Waker: contention.Waker{Thread: id(1)}}, {Waker: contention.Waker{SameObject: true}}, {Waker: contention.Waker{Stack: 1}},
	}
	for i, a := range waits {
		for j, b := range waits {
			assert.Equal(t, i == j, compareWaits(a, b) == 0, "%+v %+v", a, b)
			assert.Equal(t, compareWaits(a, b), -compareWaits(b, a))
		}
	}
}

func TestCanonicalCopiesOnlyWhatIsOutOfOrder(t *testing.T) {
	s := convoy(mutex(1), 3, ms, ms, ms)
	slices.SortFunc(s.Waits, compareWaits)
	assert.Same(t, &s.Waits[0], &canonical(s.Waits)[0])
	slices.Reverse(s.Waits)
	first := s.Waits[0]
	assert.NotSame(t, &s.Waits[0], &canonical(s.Waits)[0])
	assert.Equal(t, first, s.Waits[0])
}

func TestEventsOfOneTime(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 3, 4)
	// Two waits of one thread at once, which cannot be, and one release seen twice,
	// once without its system call.
	s.wait(2, mutex(2), 0, 100*ms, by(1))
	s.wait(2, mutex(3), 0, 100*ms, by(3))
	s.wait(4, mutex(1), 0, 200*ms, by(2))
	s.wait(3, mutex(1), 50*ms, 200*ms, by(2))
	s.Waits[2].Waker.SameObject = false
	want := s.analyze()
	require.NotEmpty(t, want.Findings)
	for _, f := range want.Findings {
		for _, hop := range f.Chain {
			assert.Equal(t, contention.ByRelease, hop.Evidence, "the better evidence counts")
		}
	}
	slices.Reverse(s.Waits)
	assert.Equal(t, want, s.analyze())
}
