// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestOnlyWhoStandsOutAnswersForACPU(t *testing.T) {
	// 9 keeps the holder from its CPU half of the time, a crowd of others now and then.
	s := newScene(1000*ms, 1, 2, 9, 10, 11, 12, 13).repeat(100*ms, func(s *scene, from time.Duration) {
		s.preempted(1, 9, from, from+50*ms)
		for i := range 4 {
			at := from + time.Duration(50+5*i)*ms
			s.preempted(1, 10+i, at, at+4*ms)
		}
		s.wait(2, mutex(1), from, from+80*ms, by(1))
	})
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"cpu-starvation 9", "lock-holder 1"}, told(got))
	assert.Equal(t, blames{9: 500 * ms, 1: 300 * ms}, charged(got))
	assert.Equal(t, 10, got.Findings[1].Victims[0].Count, "each wait counts once, however it was come by")
	for _, f := range got.Findings[1:] {
		for _, hop := range f.Chain {
			assert.Equal(t, 1, hop.Holder)
		}
	}
}

func TestWhatIsGivenBackKeepsItsNature(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 9).repeat(100*ms, func(s *scene, from time.Duration) {
		s.preempted(1, 9, from, from+4*ms)
		s.wait(2, data(1), from, from+80*ms, by(1))
	})
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"slow-producer 1"}, told(got))
	assert.Equal(t, blames{1: 800 * ms}, charged(got))
}

func TestAFairShareOfACPUIsNobodysFault(t *testing.T) {
	// The holder needs a CPU for 10 ms each time, and another has it first.
	for _, test := range []struct {
		kept    time.Duration
		told    []string
		charged blames
	}{
		{10 * ms, []string{"lock-holder 1"}, blames{1: 400 * ms}},
		{19 * ms, []string{"lock-holder 1"}, blames{1: 580 * ms}},
		{20 * ms, []string{"cpu-starvation 9", "lock-holder 1"}, blames{9: 400 * ms, 1: 200 * ms}},
	} {
		s := newScene(1000*ms, 1, 2, 9).repeat(50*ms, func(s *scene, from time.Duration) {
			s.preempted(1, 9, from, from+test.kept)
			s.wait(2, mutex(1), from, from+test.kept+10*ms, by(1))
		})
		got := s.analyze()
		assertConserved(t, got)
		assert.Equal(t, test.told, told(got))
		assert.Equal(t, test.charged, charged(got))
	}
}

func TestAHogInShortBurstsIsFoundAsWell(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 9).repeat(40*ms, func(s *scene, from time.Duration) {
		for i := range 4 {
			at := from + time.Duration(i)*5*ms/2
			s.preempted(1, 9, at, at+2*ms)
		}
		s.wait(2, mutex(1), from, from+10*ms, by(1))
	})
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"cpu-starvation 9", "lock-holder 1"}, told(got))
	assert.Equal(t, blames{9: 200 * ms, 1: 50 * ms}, charged(got))
}

func TestOnceIsChance(t *testing.T) {
	for times, want := range map[int][]string{
		minStretches - 1: {"contended"},
		minStretches:     {"cpu-starvation 9"},
	} {
		s := newScene(1000*ms, 1, 2, 3, 9)
		for i := range times {
			at := time.Duration(200*i) * ms
			s.preempted(1, 9, at, at+100*ms)
			s.wait(2, mutex(1), at, at+100*ms, by(1)) // two victims of one stretch
			s.wait(3, mutex(1), at, at+100*ms, by(1))
		}
		got := s.analyze()
		assertConserved(t, got)
		assert.Equal(t, want, told(got), "%d times", times)
	}
}

func TestAnOccupantAnswersForNoLongerThanItHadTheCPU(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 9).repeat(100*ms, func(s *scene, from time.Duration) {
		s.preempted(1, 9, from, from+60*ms)
		s.wait(2, mutex(1), from, from+80*ms, by(1))
	})
	for i := range s.Preemptions {
		s.Preemptions[i].Occupied = 50 * ms
	}
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"cpu-starvation 9", "lock-holder 1"}, told(got))
	assert.Equal(t, blames{9: 1000 * ms, 1: 300 * ms}, charged(got), "9 answers to 2, and to 1 itself")
}

func TestAProducerThatWantsACPUIsNotSlow(t *testing.T) {
	for _, test := range []struct {
		kept int
		told []string
	}{{39, []string{"slow-producer 1"}}, {41, []string{}}} {
		s := newScene(1000*ms, 1, 2, 9, 10, 11).repeat(100*ms, func(s *scene, from time.Duration) {
			s.preempted(1, 0, from, from+time.Duration(test.kept)*ms)
			s.wait(2, data(1), from, from+80*ms, by(1))
		})
		got := s.analyze()
		assertConserved(t, got)
		assert.Equal(t, test.told, told(got))
	}
}
