// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Duffy, Biometrics 40 (1984): 144 pairs of which shares of .45 and .25 change have a
// power of .80, one-sided at .025, as in the tests of R's package MESS.
func TestPairedPower(t *testing.T) {
	assert.InDelta(t, .80, pairedPower(144, .45, .25, .05), 5e-3)
	assert.InDelta(t, .80, pairedPower(144, .25, .45, .05), 5e-3)
}

// Where none gets better six must be lost: 2·2⁻⁶ is the first below .05. That six or more
// of n are, at .2 each, has a probability of .80 from n = 39 on.
func TestRunsNeededInPairs(t *testing.T) {
	assert.Equal(t, 6, leastSignificant(6, .05))
	assert.Equal(t, 6, leastSignificant(5, .05), "more than there are")
	assert.Equal(t, 8, leastSignificant(9, .05), "1 of 9 is .039")
	assert.Less(t, binomialTail(6, 38, .2), .80)
	assert.Greater(t, binomialTail(6, 39, .2), .80)
	assert.Equal(t, 39, RunsNeeded(McNemarTest, 1, .8, .05))
	assert.Equal(t, 39, RunsNeeded(McNemarTest, 0, .2, .05))
	assert.Equal(t, 6, RunsNeeded(McNemarTest, 1, 0, .05))
	assert.Greater(t, RunsNeeded(McNemarTest, 1, .8, .05/60), 39)
}

// R's documentation of power.prop.test has 76.7 for .50 against .75 at a power of .90; at
// .80 it prints 57.7, and corrected for the exact test that is 66 (Fleiss, Levin and Paik,
// Statistical Methods for Rates and Proportions, table A.4).
func TestRunsNeeded(t *testing.T) {
	assert.Equal(t, 66, RunsNeeded(FisherTest, .50, .75, .05))
	assert.Equal(t, 66, RunsNeeded(FisherTest, .75, .50, .05))
}

// The formula is close to what Fisher's test does, counted out over all outcomes, and
// rather asks for too many runs than for too few.
func TestRunsNeededIsCloseToFisher(t *testing.T) {
	for _, c := range []struct{ from, to float64 }{{.95, .6}, {.5, .1}, {1, .7}} {
		n := RunsNeeded(FisherTest, c.from, c.to, .05)
		power := 0.0
		for a := range n + 1 {
			for b := range n + 1 {
				if Fisher(a, n, b, n) < .05 {
					power += binomial(a, n, c.from) * binomial(b, n, c.to)
				}
			}
		}
		assert.Greater(t, power, wantedPower-.02, "%+v: %d runs", c, n)
		assert.Less(t, power, wantedPower+.10, "%+v: %d runs", c, n)
	}
}

func TestRunsNeededForNothing(t *testing.T) {
	for _, test := range []Test{McNemarTest, FisherTest} {
		assert.Equal(t, MaxRuns+1, RunsNeeded(test, .5, .5, .05))
		assert.Equal(t, MaxRuns+1, RunsNeeded(test, .5, .5001, .05))
	}
}
