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

// Of three draws from 1, 3 and 8 the median is 1 in 7 of 27, and 8 in as many.
func TestMedianShift(t *testing.T) {
	values, others := []float64{3, 1, 8}, []float64{1, 1, 1}
	median, err := MedianShift(values, others)
	require.NoError(t, err)
	assert.Equal(t, Shift{Value: 2, Low: 0, High: 7}, median)
	assert.Equal(t, []float64{3, 1, 8}, values)
	_, err = MedianShift(nil, others)
	assert.ErrorContains(t, err, "no values")
	_, err = MedianShift(values, nil)
	assert.ErrorContains(t, err, "no values")
}

func TestAddedTimes(t *testing.T) {
	times := func(factor float64, base ...float64) (pairs []Pair) {
		for _, b := range base {
			pairs = append(pairs, Pair{Over: 1 + factor*b, Under: 1})
		}
		return pairs
	}
	empty := times(1, 0.05, 0.06, 0.07, 0.08)
	got, err := AddedTimes(times(3, 0.05, 0.06, 0.07, 0.08), empty)
	require.NoError(t, err)
	// The medians are sqrt(1.06 × 1.07) − 1 and sqrt(1.18 × 1.21) − 1.
	assert.InDelta(t, 0.194906/0.064988, got.Value, 1e-4)
	assert.InDelta(t, 3, got.Low, 0.01, "measured together, they are drawn together")
	assert.InDelta(t, 3, got.High, 0.01)
	assert.Equal(t, 4, got.N)

	got, err = AddedTimes(empty, times(1, -0.01, 0.01, 0.02, 0.03))
	require.NoError(t, err)
	assert.True(t, math.IsInf(got.High, 1), "the other may add nothing")
	assert.Greater(t, got.Low, 1.0)

	got, err = AddedTimes(empty, times(1, 0, 0, 0, 0))
	require.NoError(t, err)
	assert.True(t, math.IsInf(got.Value, 1) && math.IsInf(got.Low, 1) && math.IsInf(got.High, 1))

	_, err = AddedTimes(empty, empty[:3])
	require.ErrorContains(t, err, "4 pairs were not measured together with 3")
	_, err = AddedTimes(nil, nil)
	require.Error(t, err)
	_, err = AddedTimes(empty, make([]Pair, 4))
	require.Error(t, err)
}
