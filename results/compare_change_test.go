// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

// outcomesOf says of seeds 0, 1, … at a dose whether it happened.
func outcomesOf(dose contention.Dose, happened ...bool) map[pairing]bool {
	out := map[pairing]bool{}
	for seed, yes := range happened {
		out[pairing{fault, uint64(seed), dose}] = yes
	}
	return out
}

func times(n int, yes bool) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = yes
	}
	return out
}

func TestPairsOfWhichOneIsMissing(t *testing.T) {
	before, after := outcomesOf(ms(1), times(20, true)...), outcomesOf(ms(1), times(19, false)...)
	c := testShare(before, after, true)
	assert.Equal(t, McNemarTest, c.Method)
	assert.Equal(t, [2]int{19, 19}, c.Runs, "what has no pair is left out")
	assert.InDelta(t, McNemar(19, 0), c.P, 1e-15)
	assert.True(t, c.Worse)
	assert.Equal(t, -1.0, c.Shift.Value)

	c = testShare(before, outcomesOf(ms(1), times(17, false)...), true)
	assert.Equal(t, FisherTest, c.Method, "too many have none")
	assert.Equal(t, [2]int{20, 17}, c.Runs)
}

func TestOnlyDosesOfBothAreCompared(t *testing.T) {
	before, after := outcomesOf(ms(50), times(10, true)...), outcomesOf(ms(50), times(10, true)...)
	for key, v := range outcomesOf(ms(1), times(10, false)...) {
		after[key] = v
	}
	c := testShare(before, after, true)
	assert.Equal(t, [2]int{10, 10}, c.Runs)
	assert.Equal(t, 1.0, c.P, "that weak faults are missed is no change")
	assert.Zero(t, testShare(before, outcomesOf(ms(1), true), true), "no dose in common")
}

func TestWhichWayItPoints(t *testing.T) {
	two, one := outcomesOf(ms(1), true, true), outcomesOf(ms(1), true, false)
	for _, c := range []struct {
		before, after map[pairing]bool
		wanted        bool
		worse, better bool
	}{
		{two, one, true, true, false},
		{one, two, true, false, true},
		{two, one, false, false, true},
		{one, two, false, true, false},
		{one, one, true, false, false},
	} {
		got := testShare(c.before, c.after, c.wanted)
		assert.Equal(t, c.worse, got.Worse)
		assert.Equal(t, c.better, got.Better)
	}
}

func withErrors(dose contention.Dose, errors ...float64) []Record {
	var out []Record
	for i, e := range errors {
		run := Run{Variant: fault, Seed: uint64(i), Dose: dose}
		out = append(out, Record{Run: run, Verdict: Hit, Blame: Blame{True: time.Second, Error: e}})
	}
	return out
}

func TestBlameChange(t *testing.T) {
	before := withErrors(ms(50), .01, .02, .03, .04, .05)
	c := testBlame(before, withErrors(ms(50), .21, .22, .23, .24, .25))
	assert.Equal(t, RankMethod, c.Method)
	assert.InDelta(t, 2.0/252, c.P, 1e-12, "of 252 ways to divide ten, the most uneven two")
	assert.InDelta(t, .2, c.Shift.Value, 1e-12)
	assert.True(t, c.Worse)
	c = testBlame(before, withErrors(ms(50), .051, .052, .053, .054, .055))
	assert.InDelta(t, 2.0/252, c.P, 1e-12)
	assert.False(t, c.Worse, "sure, and too little to matter")
	assert.Zero(t, testBlame(before, withErrors(ms(1), .2)), "no dose in common")
	assert.Zero(t, testBlame(before, play(3, "m", fault, Hit)), "no blame to be right about")
}
