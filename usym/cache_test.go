// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// weight is a table of a size that tells whether it was closed.
type weight struct {
	size   int64
	closed int
}

func (w *weight) bytes() int64 { return w.size }
func (w *weight) close()       { w.closed++ }

func TestCacheDropsTheLeastRecentlyUsed(t *testing.T) {
	c := newCache(100)
	key := func(i int) fileKey { return fileKey{jit: i} }
	w := []*weight{{size: 40}, {size: 40}, {size: 40}, {size: 500}}
	c.put(key(0), w[0])
	c.put(key(1), w[1])
	_, ok := c.get(key(0))
	assert.True(t, ok)
	c.put(key(2), w[2])
	_, ok = c.get(key(1))
	assert.False(t, ok)
	assert.Equal(t, 1, w[1].closed)
	assert.Equal(t, int64(80), c.size)

	c.put(key(2), w[2])
	assert.Zero(t, w[2].closed, "put again, it stays")

	c.put(key(3), w[3])
	assert.Equal(t, []int{1, 1, 1, 0}, []int{w[0].closed, w[1].closed, w[2].closed, w[3].closed}, "the last used stays, however large")

	c.put(key(3), w[0])
	assert.Equal(t, 1, w[3].closed, "replaced")
	c.clear()
	assert.Zero(t, c.size)
	assert.Empty(t, c.entries)
}
