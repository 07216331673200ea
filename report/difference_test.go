// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/results"
)

// The examples of Newcombe 1998, table II, method 10.
func TestDifference(t *testing.T) {
	for _, test := range []struct {
		a, m, b, n int
		low, high  float64
	}{
		{56, 70, 48, 80, 0.0524, 0.3339},
		{9, 10, 3, 10, 0.1705, 0.8090},
		{5, 56, 0, 29, -0.0381, 0.1926},
		{10, 10, 0, 10, 0.6075, 1},
	} {
		low, high := difference(results.Wilson(float64(test.a), test.m), results.Wilson(float64(test.b), test.n))
		assert.InDelta(t, test.low, low, 5e-5)
		assert.InDelta(t, test.high, high, 5e-5)
	}
}
