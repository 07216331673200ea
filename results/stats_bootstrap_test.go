// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRatioCI(t *testing.T) {
	r, err := RatioCI([]Pair{{120, 100}, {110, 100}, {130, 100}})
	require.NoError(t, err)
	assert.InDelta(t, 1.2, r.Value, 1e-12)
	assert.InDelta(t, 1.1, r.Low, 1e-12)
	assert.InDelta(t, 1.3, r.High, 1e-12)
	assert.Equal(t, 3, r.N)

	again, err := RatioCI([]Pair{{120, 100}, {110, 100}, {130, 100}})
	require.NoError(t, err)
	assert.Equal(t, r, again)
}

// One hundred intervals of twenty pairs each must hold the true ratio about
// ninety-five times; fewer than 85 would be a chance of one in ten thousand.
func TestRatioCICovers(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	covered := 0
	for range 100 {
		pairs := make([]Pair, 20)
		for i := range pairs {
			pairs[i] = Pair{Over: 1.19 * math.Exp(0.1*random.NormFloat64()), Under: 1}
		}
		r, err := RatioCI(pairs)
		require.NoError(t, err)
		if r.Low <= 1.19 && 1.19 <= r.High {
			covered++
		}
	}
	assert.GreaterOrEqual(t, covered, 85)
}

func TestRatioCIRefuses(t *testing.T) {
	for _, pairs := range [][]Pair{nil, {{1, 0}}, {{0, 1}}, {{-1, -1}}, {{math.NaN(), 1}}, {{math.Inf(1), 1}}} {
		_, err := RatioCI(pairs)
		assert.ErrorContains(t, err, "ratio of", "%v", pairs)
	}
}
