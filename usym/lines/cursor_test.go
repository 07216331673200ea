// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCursorDecodesBothByteOrders(t *testing.T) {
	data := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	for size, expected := range map[int][2]uint64{
		1: {0x01, 0x01}, 2: {0x0201, 0x0102}, 3: {0x030201, 0x010203}, 4: {0x04030201, 0x01020304},
		8: {0x0807060504030201, 0x0102030405060708},
	} {
		little, big := cursor{data: data}, cursor{data: data, big: true}
		assert.Equal(t, expected, [2]uint64{little.uint(size), big.uint(size)}, size)
		assert.Equal(t, size, big.pos)
	}
}

func TestCursorDecodesLEB128(t *testing.T) {
	c := cursor{data: []byte{0x7f, 0xe5, 0x8e, 0x26, 0x7f, 0xc0, 0xbb, 0x78, 0x3f}}
	assert.Equal(t, uint64(127), c.uleb())
	assert.Equal(t, uint64(624485), c.uleb())
	assert.Equal(t, int64(-1), c.sleb())
	assert.Equal(t, int64(-123456), c.sleb())
	assert.Equal(t, int64(63), c.sleb())
	assert.False(t, c.bad)
	assert.Zero(t, c.uleb())
	assert.True(t, c.bad)

	long := cursor{data: append(make([]byte, 0), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 7)}
	assert.Equal(t, ^uint64(0), long.uleb(), "bits past the 64th are lost")
	assert.Equal(t, uint64(7), long.u8())
}

func TestCursorStaysBad(t *testing.T) {
	for name, use := range map[string]func(c *cursor){
		"integer":  func(c *cursor) { c.uint(4) },
		"size":     func(c *cursor) { c.uint(5) },
		"skip":     func(c *cursor) { c.skip(1 << 63) },
		"string":   func(c *cursor) { c.skipString() },
		"block":    func(c *cursor) { c.value(formBlock1, encoding{}) },
		"form":     func(c *cursor) { c.value(0x7777, encoding{}) },
		"indirect": func(c *cursor) { c.value(formIndirect, encoding{}) },
	} {
		c := cursor{data: []byte{0x16, 1, 2}}
		use(&c)
		assert.True(t, c.bad, name)
		assert.Zero(t, c.u8(), name)
		assert.True(t, c.atEnd(), name)
	}
}

func TestEveryFormIsSkippedByItsSize(t *testing.T) {
	e := encoding{version: 5, address: 8, offset: 4}
	for f := range form(0x2000) {
		size, ok := e.fixed(f)
		if !ok {
			continue
		}
		c := cursor{data: make([]byte, 32)}
		c.value(f, e)
		assert.Equal(t, size, c.pos, "form %#x", f)
		assert.False(t, c.bad, "form %#x", f)
	}
}
