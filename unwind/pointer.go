// SPDX-License-Identifier: Apache-2.0

package unwind

// Encodings of a pointer (DW_EH_PE_*): the low four bits are its format, the next
// three what it is relative to.
const (
	pointerAbsolute = 0x00
	pointerULEB     = 0x01
	pointerU16      = 0x02
	pointerU32      = 0x03
	pointerU64      = 0x04
	pointerSigned   = 0x08
	pointerSLEB     = 0x09
	pointerS16      = 0x0a
	pointerS32      = 0x0b
	pointerS64      = 0x0c

	formatMask = 0x0f
	baseMask   = 0x70

	relativeToNothing = 0x00
	relativeToPC      = 0x10
	relativeToData    = 0x30

	pointerIndirect = 0x80
	pointerOmitted  = 0xff
)

// bases are what pointers of a section are relative to, as link-time addresses.
type bases struct {
	section uint64 // where the section lies
	data    uint64 // 0: not known
}

// pointer reads a pointer with the given encoding. What cannot be resolved from the
// file alone, or is relative to code, makes c bad.
func (c *cursor) pointer(encoding byte, b bases) uint64 {
	base := uint64(0)
	switch encoding & baseMask {
	case relativeToNothing:
	case relativeToPC:
		base = b.section + uint64(c.at)
	case relativeToData:
		base = b.data
		c.bad = c.bad || b.data == 0
	default:
		c.bad = true
	}
	if encoding&pointerIndirect != 0 { // and pointerOmitted
		c.bad = true
	}
	return base + c.plainPointer(encoding)
}

// plainPointer reads a pointer in the format of encoding, relative to nothing.
func (c *cursor) plainPointer(encoding byte) uint64 {
	switch encoding & formatMask {
	case pointerAbsolute, pointerU64, pointerSigned, pointerS64:
		return c.u64()
	case pointerULEB:
		return c.uleb()
	case pointerSLEB:
		return uint64(c.sleb())
	case pointerU16:
		return uint64(c.u16())
	case pointerS16:
		return uint64(int64(int16(c.u16())))
	case pointerU32:
		return uint64(c.u32())
	case pointerS32:
		return uint64(int64(int32(c.u32())))
	default:
		c.bad = true
		return 0
	}
}
