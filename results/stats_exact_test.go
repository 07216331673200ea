// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Two-sided values of the sign test, as tabulated, and the paired example of
// statsmodels' own tests (59 against 121).
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		lost, won int
		p         float64
	}{
		{0, 0, 1},
		{5, 0, .0625},
		{6, 0, .03125},
		{9, 1, .021484},
		{1, 9, .021484},
		{15, 5, .041389},
		{5, 5, 1},
		{121, 59, 4.434e-06},
	} {
		assert.InEpsilon(t, c.p, McNemar(c.lost, c.won), 5e-4, "%d lost, %d won", c.lost, c.won)
	}
}

// Fisher's tea taster (.4857) and his twins of convicts (.0005367), as R's
// fisher.test prints them.
func TestFisher(t *testing.T) {
	assert.InDelta(t, .4857, Fisher(3, 4, 1, 4), 5e-5)
	assert.InDelta(t, .0005367, Fisher(2, 12, 15, 18), 5e-8)
	assert.InDelta(t, .0005367, Fisher(15, 18, 2, 12), 5e-8)
	assert.InDelta(t, 1, Fisher(10, 10, 10, 10), 1e-9)
	assert.InDelta(t, 1, Fisher(0, 10, 0, 3), 1e-9)
	assert.InDelta(t, 1.0/92378, Fisher(10, 10, 0, 10), 1e-9)
	assert.InDelta(t, 1, Fisher(0, 0, 1, 3), 1e-9)
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{.01, .04, .03, .005})
	for i, want := range []float64{.03, .06, .06, .02} {
		assert.InDelta(t, want, got[i], 1e-12)
	}
	assert.Equal(t, []float64{1, 1}, Holm([]float64{.9, .8}))
	assert.Empty(t, Holm(nil))
}
