// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// striped is a program with a lock for each of 20 parts of its data. Thread 1 goes over all
// of them and holds each for 40 ms; others want one at a time, and hold it for hold.
func striped(hold time.Duration) *scene {
	return newScene(2000*ms, 1, 2, 3, 4).repeat(50*ms, func(s *scene, at time.Duration) {
		lock := mutex(1 + int(at/(50*ms))%20)
		other := 2 + int(at/(50*ms))%3
		s.wait(other, lock, at, at+40*ms, by(1))
		s.wait(2+(other-1)%3, lock, at+40*ms, at+40*ms+hold, by(other))
	})
}

func TestWhoHoldsManyLocksForLongIsFound(t *testing.T) {
	got := striped(ms).analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"lock-holder 1"}, told(got))
	assert.Equal(t, 1600*ms, got.Findings[0].Blame)
	assert.InDelta(t, 1, got.Findings[0].Share, 0.05)

	assert.NotContains(t, told(striped(60*ms).analyze()), "lock-holder 1", "others hold them for as long")
}
