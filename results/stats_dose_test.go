// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The beetles of Bliss, Annals of Applied Biology 22 (1935), killed by carbon disulphide:
// the logistic fit has an intercept of −60.717 and a slope of 34.270 over log₁₀ of the
// dose, and half are killed at 1.7717 (Dobson, An Introduction to Generalized Linear
// Models, chapter 7).
func TestFitDosesPublished(t *testing.T) {
	var levels []DoseLevel
	for _, b := range []struct {
		log        float64
		beetles, n int
	}{
		{1.8839, 60, 60}, {1.6907, 6, 59}, {1.7242, 13, 60}, {1.7552, 18, 62},
		{1.7842, 28, 56}, {1.8113, 52, 63}, {1.8369, 53, 59}, {1.8610, 61, 62},
	} {
		levels = append(levels, DoseLevel{Dose: math.Pow(10, b.log), Hits: b.beetles, Runs: b.n})
	}
	fit := fitDoses(levels)
	require.True(t, fit.logistic)
	assert.InDelta(t, -60.717, fit.intercept, 5e-3)
	assert.InDelta(t, 34.270, fit.slope*math.Ln10, 5e-3)
	assert.InDelta(t, 1.7717, math.Log10(fit.effective(.5)), 1e-4)
	assert.InDelta(t, (60.717+math.Log(19))/34.270, math.Log10(fit.effective(.95)), 1e-4)
	assert.Zero(t, fit.effective(.001))
	assert.Equal(t, math.Inf(1), fit.effective(.9999))
}

func TestFitDosesThatSeparate(t *testing.T) {
	none, all := math.Inf(1), 0.0
	for name, c := range map[string]struct {
		levels     []DoseLevel
		ed50, ed95 float64
	}{
		"a step":            {[]DoseLevel{{1, 0, 5}, {4, 0, 5}, {16, 5, 5}}, 8, 4 * math.Pow(4, .95)},
		"a step with a mix": {[]DoseLevel{{1, 0, 4}, {4, 2, 4}, {16, 4, 4}}, 4, 4 * math.Pow(4, .9)},
		"all are found":     {[]DoseLevel{{1, 5, 5}, {4, 5, 5}}, all, all},
		"none is found":     {[]DoseLevel{{1, 0, 5}, {4, 0, 5}}, none, none},
		"one dose":          {[]DoseLevel{{4, 4, 5}}, all, none},
		"nothing":           {nil, none, none},
		"no runs":           {[]DoseLevel{{4, 0, 0}}, none, none},
		"fewer with more":   {[]DoseLevel{{1, 8, 10}, {4, 6, 10}, {16, 4, 10}}, all, none},
		"half with more":    {[]DoseLevel{{1, 5, 10}, {4, 3, 10}, {16, 1, 10}}, none, none},
	} {
		fit := fitDoses(c.levels)
		assert.False(t, fit.logistic, name)
		assert.InDelta(t, 0, relative(c.ed50, fit.effective(.5)), 1e-9, name)
		assert.InDelta(t, 0, relative(c.ed95, fit.effective(.95)), 1e-9, name)
	}
}

// relative is the difference of two doses, 0 for the same infinity.
func relative(want, got float64) float64 {
	if want == got {
		return 0
	}
	return got/want - 1
}

// Neighbours whose rates fall are pooled: 3/4, 1/4, 2/4 and 4/4 become 1/2, 1/2, 1/2 and 1.
func TestIsotonic(t *testing.T) {
	rates := isotonic([]DoseLevel{{1, 3, 4}, {2, 1, 4}, {3, 2, 4}, {4, 4, 4}})
	assert.Equal(t, []float64{.5, .5, .5, 1}, rates)
	assert.Equal(t, []float64{.4, .4, .4}, isotonic([]DoseLevel{{1, 4, 4}, {2, 0, 4}, {3, 0, 2}}))
}

func TestRedrawn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	drawn := redrawn(random, []DoseLevel{{1, 0, 1000}, {2, 1000, 1000}, {3, 500, 1000}})
	assert.Less(t, drawn[0].Hits, 8)
	assert.Greater(t, drawn[1].Hits, 992)
	assert.InDelta(t, 500, drawn[2].Hits, 80, "five standard deviations")
	assert.Equal(t, 1000, drawn[2].Runs)

	misses := 0
	for range 1000 {
		misses += 5 - redrawn(random, []DoseLevel{{1, 5, 5}})[0].Hits
	}
	assert.InDelta(t, 5000*0.5/6, misses, 100, "five runs that are all hits prove little")
}
