// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWilsonAllPass(t *testing.T) {
	for n, low := range map[int]float64{5: .566, 10: .722, 20: .839, 30: .886, 50: .929} {
		p := Wilson(float64(n), n)
		assert.InDelta(t, low, p.Low, 5e-4, "n=%d", n)
		assert.Equal(t, 1.0, p.Value)
		assert.InDelta(t, 1, p.High, 1e-12)
	}
}

// The example of Newcombe, Statistics in Medicine 17 (1998), table I: the score
// method without continuity correction.
func TestWilsonPublished(t *testing.T) {
	for _, c := range []struct {
		sum       float64
		n         int
		low, high float64
	}{
		{81, 263, .2553, .3662},
		{15, 148, .0624, .1605},
		{0, 20, 0, .1611},
		{1, 29, .0061, .1718},
	} {
		p := Wilson(c.sum, c.n)
		assert.InDelta(t, c.low, p.Low, 5e-5)
		assert.InDelta(t, c.high, p.High, 5e-5)
	}
}

func TestWilsonOfNothing(t *testing.T) {
	assert.Zero(t, Wilson(0, 0))
	assert.Equal(t, "-", Wilson(0, 0).String())
	assert.Equal(t, "1.00 [0.57,1.00]", Wilson(5, 5).String())
}

func TestQuantile(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	for q, want := range map[float64]float64{0: 1, 0.5: 2.5, 0.9: 3.7, 1: 4} {
		got, ok := Quantile(values, q)
		assert.True(t, ok)
		assert.InDelta(t, want, got, 1e-12, "q=%v", q)
	}
	assert.Equal(t, []float64{4, 1, 3, 2}, values)
	_, ok := Quantile(nil, 0.5)
	assert.False(t, ok)
}
