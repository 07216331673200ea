// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// covered is a window of 10 ns a column, from 1000, with intervals in it.
func covered(parts ...contention.Window) *coverage {
	c := &coverage{window: contention.Window{Begin: 1000, End: 1000 + 10*columns}}
	for _, p := range parts {
		c.add(p)
	}
	return c
}

func TestCoverageIsTheShareOfAColumn(t *testing.T) {
	c := covered(
		contention.Window{Begin: 1000, End: 1010}, // column 0, all
		contention.Window{Begin: 1015, End: 1025}, // halves of 1 and 2
		contention.Window{Begin: 1031, End: 1032}, // two tenths of 3,
		contention.Window{Begin: 1035, End: 1036},
		contention.Window{Begin: 1000 + 10*columns - 1, End: 1000 + 10*columns}, // a tenth of the last
	)
	heights := c.heights()
	assert.Equal(t, []int{8, 4, 4, 2, 0}, heights[:5])
	assert.Equal(t, 1, heights[columns-1])
}

// Holds too short for a level are seen, and not as one that lasts.
func TestCoverageShowsTheShortestAsTheLowest(t *testing.T) {
	c := &coverage{window: contention.Window{Begin: 0, End: columns * 1e6}}
	for at := time.Duration(0); at < columns*1e6; at += 1e4 {
		c.add(contention.Window{Begin: at, End: at + 1})
	}
	for i, h := range c.heights() {
		require.Equal(t, 1, h, "column %d", i)
	}
}

func TestCoverageAddsUp(t *testing.T) {
	for _, length := range []time.Duration{1, 7, columns - 1, columns, columns + 1, 12345, 1 << 50, math.MaxInt64 - 9} {
		c := &coverage{window: contention.Window{Begin: 9, End: 9 + length}}
		part := contention.Window{Begin: 9 + length/3, End: 9 + length/3 + length/2}
		c.add(part)
		var sum time.Duration
		for _, filled := range c.filled {
			sum += filled
		}
		assert.Equal(t, part.Length(), sum, "window of %d", length)
		assert.Equal(t, c.window.End, c.edge(columns))
	}
}

func TestCoverageOfAnEmptyWindow(t *testing.T) {
	c := &coverage{window: contention.Window{Begin: 5, End: 5}}
	c.add(contention.Window{Begin: 5, End: 5})
	assert.Empty(t, path(c.heights(), false))
}

func TestPath(t *testing.T) {
	var h [columns]int
	assert.Empty(t, path(h, false))
	h[2], h[3], h[4] = 8, 8, 1
	assert.Equal(t, "M2 8v-8h2v7h1v1z", path(h, false))
	assert.Equal(t, "M2 0v8h2v-7h1v-1z", path(h, true))
	h[columns-1] = 3
	assert.Equal(t, "M2 8v-8h2v7h1v1h474v-3h1V8z", path(h, false))
}
