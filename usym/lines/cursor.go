// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bytes"
	"encoding/binary"
)

// cursor decodes bytes one after the other. Past the end, or after anything that makes
// no sense, it is bad and yields zeros for ever.
type cursor struct {
	data []byte
	pos  int
	big  bool // big-endian
	bad  bool
}

func (c *cursor) fail() uint64 {
	c.bad, c.pos = true, len(c.data)
	return 0
}

func (c *cursor) atEnd() bool { return c.pos >= len(c.data) }

func (c *cursor) u8() uint64 {
	if c.pos >= len(c.data) {
		return c.fail()
	}
	c.pos++
	return uint64(c.data[c.pos-1])
}

// uint decodes an integer of 1, 2, 3, 4 or 8 bytes.
func (c *cursor) uint(size int) uint64 {
	if size > len(c.data)-c.pos {
		return c.fail()
	}
	b := c.data[c.pos : c.pos+size]
	c.pos += size
	switch {
	case size == 1:
		return uint64(b[0])
	case size == 3 && c.big:
		return uint64(b[0])<<16 | uint64(b[1])<<8 | uint64(b[2])
	case size == 3:
		return uint64(b[2])<<16 | uint64(b[1])<<8 | uint64(b[0])
	}
	var order binary.ByteOrder = binary.LittleEndian
	if c.big {
		order = binary.BigEndian
	}
	switch size {
	case 2:
		return uint64(order.Uint16(b))
	case 4:
		return uint64(order.Uint32(b))
	case 8:
		return order.Uint64(b)
	}
	return c.fail()
}

// uleb decodes an unsigned LEB128. Bits past the 64th are lost.
func (c *cursor) uleb() uint64 {
	value := uint64(0)
	for shift := 0; c.pos < len(c.data); shift += 7 {
		b := c.data[c.pos]
		c.pos++
		value |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return value
		}
	}
	return c.fail()
}

// sleb decodes a signed LEB128.
func (c *cursor) sleb() int64 {
	value := int64(0)
	for shift := 0; c.pos < len(c.data); {
		b := c.data[c.pos]
		c.pos++
		value |= int64(b&0x7f) << shift
		shift += 7
		if b < 0x80 {
			if b&0x40 != 0 && shift < 64 {
				value |= -1 << shift
			}
			return value
		}
	}
	return int64(c.fail())
}

func (c *cursor) skip(size uint64) {
	if size > uint64(len(c.data)-c.pos) {
		c.fail()
		return
	}
	c.pos += int(size)
}

// skipString skips a string and the zero after it.
func (c *cursor) skipString() {
	end := bytes.IndexByte(c.data[c.pos:], 0)
	if end < 0 {
		c.fail()
		return
	}
	c.pos += end + 1
}

// length decodes the length that starts a unit, and says whether offsets in it have 8
// bytes.
func (c *cursor) length() (length uint64, is64 bool) {
	length = c.uint(4)
	switch {
	case length == 0xffffffff:
		return c.uint(8), true
	case length >= 0xfffffff0:
		return c.fail(), false
	}
	return length, false
}

func offsetSize(is64 bool) int {
	if is64 {
		return 8
	}
	return 4
}
