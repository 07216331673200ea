// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Permeability of membranes, Hollander and Wolfe (1973), as in the documentation of R's
// wilcox.test: W 35, and 0.1272 for the upper tail alone.
func TestMannWhitney(t *testing.T) {
	term := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	early := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	r := MannWhitney(term, early)
	assert.InDelta(t, 35.0/50, r.Greater, 1e-12)
	assert.InDelta(t, 2*.1272, r.P, 1e-4)
	back := MannWhitney(early, term)
	assert.InDelta(t, 15.0/50, back.Greater, 1e-12)
	assert.InDelta(t, r.P, back.P, 1e-12)
}

// Blood pressures, from the manual of StatXact 5, as in the tests of R's exactRankTests:
// 0.0989, of which the upper tail is 0.0542. The tails differ, because of the ties.
func TestMannWhitneyWithTies(t *testing.T) {
	treated := []float64{94, 108, 110, 90}
	control := []float64{80, 94, 85, 90, 90, 90, 108, 94, 78, 105, 88}
	r := MannWhitney(treated, control)
	assert.InDelta(t, 35.0/44, r.Greater, 1e-12)
	assert.InDelta(t, .0989, r.P, 5e-5)
	assert.InDelta(t, .0989, MannWhitney(control, treated).P, 5e-5)
}

// Ozone in New York in May and in August, as in the documentation of R's wilcox.test:
// W 127.5, p 0.0001208 by the approximation.
func TestMannWhitneyApproximation(t *testing.T) {
	may := []float64{41, 36, 12, 18, 28, 23, 19, 8, 7, 16, 11, 14, 18, 14, 34, 6, 30, 11, 1, 11, 4, 32, 23, 45, 115, 37}
	august := []float64{39, 9, 16, 78, 35, 66, 122, 89, 110, 44, 28, 65, 22, 59, 23, 31, 44, 21, 9, 45, 168, 73, 76, 118, 84, 85}
	ranks, sum := doubledRanks(may, august), 0
	for _, r := range ranks[:len(may)] {
		sum += r
	}
	assert.InDelta(t, 127.5/676, MannWhitney(may, august).Greater, 1e-12)
	assert.InDelta(t, .0001208, normalRanks(ranks, len(may), sum), 5e-8)
	assert.Less(t, MannWhitney(may, august).P, .0001208, "the exact value is smaller")
}

func TestMannWhitneyOfMany(t *testing.T) {
	var low, high []float64
	for i := range 40 {
		low, high = append(low, float64(i)), append(high, float64(100+i))
	}
	assert.Equal(t, 1.0, MannWhitney(high, low).Greater)
	// z is (800 − 0.5)/√(1600·81/12) = 7.693.
	assert.InEpsilon(t, 1.44e-14, MannWhitney(low, high).P, 0.01)
	assert.Equal(t, 1.0, MannWhitney(low, low).P)
}

func TestMannWhitneyOfNothing(t *testing.T) {
	nothing := RankTest{Greater: 0.5, P: 1}
	assert.Equal(t, nothing, MannWhitney(nil, []float64{1}))
	assert.Equal(t, nothing, MannWhitney([]float64{1}, nil))
	assert.Equal(t, nothing, MannWhitney([]float64{1, 1}, []float64{1}))
}
