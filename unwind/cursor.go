// SPDX-License-Identifier: Apache-2.0

package unwind

import "encoding/binary"

// cursor reads little-endian values from data[at:]. Past the end it reads zeros and
// sets bad, which stays set.
type cursor struct {
	data []byte
	at   int
	bad  bool
}

// cursorAt reads data[at:end]; it is bad from the start where that does not exist.
func cursorAt(data []byte, at, end uint64) cursor {
	if at > end || end > uint64(len(data)) {
		return cursor{bad: true}
	}
	return cursor{data: data[:end], at: int(at)}
}

func (c *cursor) done() bool { return c.bad || c.at >= len(c.data) }

// next returns the next n bytes, nil past the end.
func (c *cursor) next(n uint64) []byte {
	if c.bad || n > uint64(len(c.data)-c.at) {
		c.bad = true
		return nil
	}
	b := c.data[c.at : c.at+int(n)]
	c.at += int(n)
	return b
}

func (c *cursor) u8() uint8 {
	if b := c.next(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if b := c.next(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.next(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.next(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// maxLEB is the most bytes that a 64-bit LEB128 number takes.
const maxLEB = 10

// leb returns the bits of a LEB128 number, how many there are, and its last byte.
func (c *cursor) leb() (value uint64, bits uint, last byte) {
	for range maxLEB {
		last = c.u8()
		value |= uint64(last&0x7f) << bits
		bits += 7
		if last < 0x80 {
			return value, bits, last
		}
	}
	c.bad = true
	return 0, 0, 0
}

func (c *cursor) uleb() uint64 {
	value, _, _ := c.leb()
	return value
}

func (c *cursor) sleb() int64 {
	value, bits, last := c.leb()
	if last&0x40 != 0 && bits < 64 {
		value |= ^uint64(0) << bits
	}
	return int64(value)
}
