// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPointer(t *testing.T) {
	minusTwo := []byte{0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff} // behind one byte
	at := bases{section: 0x1000, data: 0x500}
	for encoding, want := range map[byte]uint64{
		pointerAbsolute:             ^uint64(1),
		pointerU16:                  0xfffe,
		pointerU32:                  0xfffffffe,
		pointerU64:                  ^uint64(1),
		pointerSigned:               ^uint64(1),
		pointerS16:                  ^uint64(1),
		pointerS32:                  ^uint64(1),
		pointerS64:                  ^uint64(1),
		pointerS32 | relativeToPC:   0x1001 - 2,
		pointerS16 | relativeToData: 0x500 - 2,
	} {
		c := cursor{data: minusTwo, at: 1}
		assert.Equal(t, want, c.pointer(encoding, at), "encoding %#x", encoding)
		assert.False(t, c.bad, "encoding %#x", encoding)
	}
	c := cursor{data: []byte{0x81, 0x01, 0x7e}}
	assert.Equal(t, uint64(0x81), c.pointer(pointerULEB, at))
	assert.Equal(t, ^uint64(1), c.pointer(pointerSLEB, at))
}

func TestPointerRefuses(t *testing.T) {
	for _, encoding := range []byte{pointerOmitted, pointerIndirect | pointerS32, 0x20, 0x40, 0x50, 0x05, 0x0f, relativeToData} {
		c := cursor{data: make([]byte, 16)}
		c.pointer(encoding, bases{section: 0x1000})
		assert.True(t, c.bad, "encoding %#x", encoding)
	}
}
