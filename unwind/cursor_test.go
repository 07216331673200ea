// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Examples of the DWARF standard, and the ends of what fits.
func TestLEB(t *testing.T) {
	for _, c := range []struct {
		data     []byte
		unsigned uint64
		signed   int64
	}{
		{[]byte{0x02}, 2, 2},
		{[]byte{0x7f}, 127, -1},
		{[]byte{0x80, 0x01}, 128, 128},
		{[]byte{0x81, 0x7f}, 0x3f81, -127},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 1<<64 - 1, -1},
		{[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, 1 << 63, -1 << 63},
	} {
		u, s := cursor{data: c.data}, cursor{data: c.data}
		assert.Equal(t, c.unsigned, u.uleb(), "% x", c.data)
		assert.Equal(t, c.signed, s.sleb(), "% x", c.data)
		assert.True(t, u.done() && s.done() && !u.bad && !s.bad)
	}
}

func TestCursorStaysBad(t *testing.T) {
	c := cursor{data: []byte{1, 2, 3}}
	assert.Zero(t, c.u32())
	assert.True(t, c.bad)
	assert.Zero(t, c.u8(), "a byte that is there")
	c = cursor{data: []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}}
	c.uleb()
	assert.True(t, c.bad, "a number of eleven bytes")
	for _, c := range []cursor{cursorAt([]byte{1}, 0, 2), cursorAt([]byte{1}, 1, 0), cursorAt(nil, ^uint64(0), ^uint64(0))} {
		assert.True(t, c.bad)
	}
}
