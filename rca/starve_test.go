// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

// starving is a scene in which 9 has the CPU that 1 wants, which holds nothing.
func starving(times int, turn time.Duration) *scene {
	s := newScene(1000*ms, 1, 9)
	for i := range times {
		at := time.Duration(i) * 100 * ms
		s.preempted(1, 9, at, at+turn)
		s.Preemptions[i].Occupied = turn
	}
	return s
}

func TestWhoHoldsNothingStarvesToo(t *testing.T) {
	got := starving(10, 50*ms).analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"cpu-starvation 9"}, told(got))
	assert.Equal(t, blames{9: 500 * ms}, charged(got))
	f := got.Findings[0]
	assert.Equal(t, contention.Resource{Kind: contention.CPU}, f.Resource)
	assert.Equal(t, []contention.Hop{{Waiter: 1, Holder: 9, Resource: f.Resource, Wait: 500 * ms, Evidence: contention.ByCPU}}, f.Chain)
	assert.Equal(t, 10, f.Victims[0].Count)
	assert.Equal(t, contention.KindTotal{Waits: 10, WaitTime: 500 * ms}, got.Totals.ByKind[contention.CPU])
}

func TestATurnIsNobodysFault(t *testing.T) {
	got := starving(10, longestTurn-1).analyze()
	assertConserved(t, got)
	assert.Empty(t, told(got))
	assert.Zero(t, got.Totals.WaitTime)
}

func TestAFewLongTurnsAreChance(t *testing.T) {
	assert.Empty(t, told(starving(minStretches-1, 90*ms).analyze()))
	assert.NotEmpty(t, told(starving(minStretches, 90*ms).analyze()))
}

func TestAHogCostsTheHolderAndThoseBehindIt(t *testing.T) {
	s := starving(10, 50*ms)
	s.join(ours, 2)
	for i := range 10 {
		at := time.Duration(i) * 100 * ms
		s.wait(2, mutex(1), at, at+60*ms, by(1))
	}
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"cpu-starvation 9", "lock-holder 1"}, told(got))
	assert.Equal(t, blames{9: 1000 * ms, 1: 100 * ms}, charged(got))
}

func TestAQuotaKeepsAHolderFromItsCPU(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 9).repeat(100*ms, func(s *scene, from time.Duration) {
		s.preempted(1, 9, from+5*ms, from+55*ms) // 9 had that CPU meanwhile, and is not to blame
		s.wait(2, mutex(1), from, from+60*ms, by(1))
	})
	for i := range s.Preemptions {
		s.Preemptions[i].Throttled = true
	}
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"cpu-starvation", "lock-holder 1"}, told(got))
	f := got.Findings[0]
	assert.Nil(t, f.Culprit)
	assert.Empty(t, f.Culprits)
	assert.Equal(t, 1000*ms, f.Blame, "half of it is the holder's own time")
	assert.InDelta(t, trust[byQuota], f.Confidence, 1e-9)
	assert.Contains(t, f.Chain, contention.Hop{Waiter: 2, Holder: 1, Resource: mutex(1), Wait: 500 * ms, Evidence: contention.ByRelease})
}

func TestAQuotaOfFewMomentsIsToldIfItCosts(t *testing.T) {
	s := newScene(1000*ms, 1)
	s.preempted(1, 0, 0, 100*ms)
	s.Preemptions[0].Throttled = true
	assert.Equal(t, []string{"cpu-starvation"}, told(s.analyze()), "it is known, and not by chance")
	s.Preemptions[0].Throttled = false
	assert.Empty(t, told(s.analyze()))
}
