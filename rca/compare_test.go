// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// turns is a lock of which each thread in turn is the holder for a while, and all others
// wait for it: times[i] holds of lengths[i] by thread i+1.
func turns(times []int, lengths []time.Duration) *scene {
	s := newScene(time.Minute, 1, 2, 3)
	at := time.Duration(0)
	for i, n := range times {
		for range n {
			for j := range times {
				if j != i {
					s.wait(j+1, mutex(1), at, at+lengths[i], by(i+1))
				}
			}
			at += lengths[i] + ms
		}
	}
	s.Window.End = s.Window.Begin + at
	return s
}

func TestWhoStandsOut(t *testing.T) {
	even := []time.Duration{10 * ms, 10 * ms, 10 * ms}
	for name, test := range map[string]struct {
		times   []int
		lengths []time.Duration
		out     bool
	}{
		"a few holds more":                {[]int{9, 3, 3}, even, false},
		"many holds more":                 {[]int{60, 20, 20}, even, true},
		"not many enough":                 {[]int{59, 20, 20}, even, false},
		"more than one of two others":     {[]int{60, 50, 20}, even, false},
		"one hold, much longer":           {[]int{1, 2, 2}, []time.Duration{40 * ms, 10 * ms, 10 * ms}, true},
		"longer, and not much in all":     {[]int{1, 3, 3}, []time.Duration{40 * ms, 10 * ms, 10 * ms}, false},
		"somewhat longer, a little often": {[]int{15, 10, 10}, []time.Duration{20 * ms, 10 * ms, 10 * ms}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := turns(test.times, test.lengths).analyze()
			assertConserved(t, got)
			if test.out {
				assert.Equal(t, []string{"lock-holder 1"}, told(got))
			} else {
				assert.Equal(t, []string{"contended"}, told(got))
			}
		})
	}
}
