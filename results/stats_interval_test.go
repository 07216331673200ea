// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Newcombe, Statistics in Medicine 17 (1998) 857–872, table I, method 5, and Mendel's
// peas as R's documentation of binom.test has them.
func TestClopperPearson(t *testing.T) {
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{
		{81, 263, .2527, .3676},
		{15, 148, .0578, .1617},
		{0, 20, 0, .1684},
		{1, 29, .0009, .1776},
		{682, 925, .7077, .7654},
		{20, 20, 1 - .1684, 1},
	} {
		p := ClopperPearson(c.hits, c.n)
		assert.InDelta(t, c.low, p.Low, 5e-5, "%d of %d", c.hits, c.n)
		assert.InDelta(t, c.high, p.High, 5e-5, "%d of %d", c.hits, c.n)
		assert.InDelta(t, float64(c.hits)/float64(c.n), p.Value, 1e-12)
		assert.Equal(t, c.n, p.N)
	}
	assert.Zero(t, ClopperPearson(0, 0))
}

// Newcombe, Statistics in Medicine 17 (1998) 873–890, table II, method 10.
func TestNewcombe(t *testing.T) {
	for _, c := range []struct {
		a, m, b, n int
		low, high  float64
	}{
		{56, 70, 48, 80, .0524, .3339},
		{9, 10, 3, 10, .1705, .8090},
		{6, 7, 2, 7, .0582, .8062},
		{5, 56, 0, 29, -.0381, .1926},
		{0, 10, 0, 20, -.1611, .2775},
		{0, 10, 0, 10, -.2775, .2775},
		{10, 10, 0, 20, .6791, 1},
		{10, 10, 0, 10, .6075, 1},
	} {
		d := Newcombe(Wilson(float64(c.a), c.m), Wilson(float64(c.b), c.n))
		assert.InDelta(t, c.low, d.Low, 5e-5, "%+v", c)
		assert.InDelta(t, c.high, d.High, 5e-5, "%+v", c)
	}
}

func TestBinomialAtTheEnds(t *testing.T) {
	assert.Equal(t, 1.0, binomial(0, 3, 0))
	assert.Equal(t, 0.0, binomial(1, 3, 0))
	assert.Equal(t, 1.0, binomial(3, 3, 1))
	assert.InDelta(t, .375, binomial(1, 3, .5), 1e-12)
	assert.InDelta(t, 1, binomialTail(0, 3, .3), 1e-12)
}
