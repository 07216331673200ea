// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func late(look contention.LateLook) func(*contention.Wait) {
	return func(w *contention.Wait) { w.Late = look }
}

func TestAnOwnerReadAtTheEndTellsOfTheTimeSinceTheLastRelease(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 3, 4)
	s.wait(2, mutex(1), 0, 300*ms, by(1))
	s.wait(3, mutex(1), 0, 0, open, owner(2), late(contention.OwnerRead))
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, blames{1: 600 * ms, 2: 700 * ms}, charged(got))

	s.Waits[1].Late = 0 // and one that was read when the wait began does not
	assert.Equal(t, blames{1: 600 * ms}, charged(s.analyze()))
}

func TestADeadlockIsOneSinceTheLastRelease(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 3, 4)
	s.wait(3, mutex(1), 0, 300*ms, by(4))
	s.wait(2, mutex(1), 0, 0, open, owner(1), late(contention.OwnerRead))
	s.wait(1, mutex(2), 500*ms, 0, open, owner(2), late(contention.OwnerRead))
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"deadlock 1 2", "lock-holder 4"}, told(got))
	assert.Equal(t, blames{4: 600 * ms, 1: 700 * ms, 2: 500 * ms}, charged(got))
}

func TestAThreadMayWaitForItself(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 3)
	s.wait(1, mutex(1), 100*ms, 0, open, owner(1), late(contention.OwnerRead))
	s.wait(2, mutex(1), 200*ms, 0, open, owner(1), late(contention.OwnerRead))
	s.wait(3, mutex(1), 300*ms, 0, open, owner(1), late(contention.OwnerRead))
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"deadlock 1"}, told(got))
	assert.Equal(t, blames{1: 2400 * ms}, charged(got))
	assert.Len(t, got.Findings[0].Victims, 3, "it is one of its victims")

	for i := range s.Waits {
		s.Waits[i].Late = 0
	}
	assert.NotContains(t, told(s.analyze()), "deadlock 1", "a word that was read as the wait began may be of a moment before")
}

func TestWhoEndedWithALockIsNamedToNobody(t *testing.T) {
	for name, threads := range map[string][]int{"seen to end": {1, 9}, "ended before": {1}} {
		s := newScene(1000*ms, threads...)
		s.wait(1, mutex(1), 0, 0, open, owner(9), late(contention.OwnerRead|contention.OwnerGone))
		got := s.analyze()
		assertConserved(t, got)
		assert.Equal(t, []string{"lock-holder"}, told(got), name)
		assert.Equal(t, blames{9: 1000 * ms}, charged(got), name)
		assert.Equal(t, 9, got.Findings[0].Chain[0].Holder, "the chain tells its tid")
		assert.Len(t, got.Findings[0].Victims, 1)
	}
}

func TestALostWakeUpNeedsAWitness(t *testing.T) {
	s := newScene(1000*ms, 1, 2)
	s.wait(1, futex(1), 100*ms, 0, open, late(contention.WordChanged))
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"lost-wakeup"}, told(got))
	assert.Equal(t, 900*ms, got.Findings[0].Blame)
	assert.Equal(t, 900*ms, got.Totals.Open, "nobody answers for it")
	assert.Zero(t, got.Findings[0].Share)
	assert.InDelta(t, trust[byOwner], got.Findings[0].Confidence, 0.001)

	s.Waits[0].Late = 0
	assert.Empty(t, told(s.analyze()), "without one it is open")

	s.Waits[0].Late = contention.WordChanged
	s.wait(2, futex(1), 0, 500*ms, by(1))
	assert.NotContains(t, told(s.analyze()), "lost-wakeup", "somebody else was woken meanwhile")
}

func TestADeadlockThatWasKilledIsOne(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 9)
	died := func(w *contention.Wait) {
		w.Late, w.Waker = contention.Died, contention.Waker{Kind: contention.WokenByThread, Thread: id(9)}
	}
	s.wait(1, mutex(2), 100*ms, 800*ms, owner(2), died)
	s.wait(2, mutex(1), 200*ms, 800*ms, owner(1), died)
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"deadlock 1 2"}, told(got))
	assert.Equal(t, blames{1: 600 * ms, 2: 700 * ms}, charged(got), "up to their end, and nobody let them go")
}
