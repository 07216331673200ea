// SPDX-License-Identifier: Apache-2.0

package lines

// form says how the value of an attribute is written.
type form uint16

const (
	formAddr          form = 0x01
	formBlock2        form = 0x03
	formBlock4        form = 0x04
	formData2         form = 0x05
	formData4         form = 0x06
	formData8         form = 0x07
	formString        form = 0x08
	formBlock         form = 0x09
	formBlock1        form = 0x0a
	formData1         form = 0x0b
	formFlag          form = 0x0c
	formSdata         form = 0x0d
	formStrp          form = 0x0e
	formUdata         form = 0x0f
	formRefAddr       form = 0x10
	formRef1          form = 0x11
	formRef2          form = 0x12
	formRef4          form = 0x13
	formRef8          form = 0x14
	formRefUdata      form = 0x15
	formIndirect      form = 0x16
	formSecOffset     form = 0x17
	formExprloc       form = 0x18
	formFlagPresent   form = 0x19
	formStrx          form = 0x1a
	formAddrx         form = 0x1b
	formRefSup4       form = 0x1c
	formStrpSup       form = 0x1d
	formData16        form = 0x1e
	formLineStrp      form = 0x1f
	formRefSig8       form = 0x20
	formImplicitConst form = 0x21
	formLoclistx      form = 0x22
	formRnglistx      form = 0x23
	formRefSup8       form = 0x24
	formStrx1         form = 0x25
	formStrx2         form = 0x26
	formStrx3         form = 0x27
	formStrx4         form = 0x28
	formAddrx1        form = 0x29
	formAddrx2        form = 0x2a
	formAddrx3        form = 0x2b
	formAddrx4        form = 0x2c
	formGNUAddrIndex  form = 0x1f01
	formGNUStrIndex   form = 0x1f02
	formGNURefAlt     form = 0x1f20
	formGNUStrpAlt    form = 0x1f21
)

// encoding is what the size of some forms depends on.
type encoding struct {
	version uint8
	address uint8 // bytes
	offset  uint8 // bytes
}

// kind says what the number of a value means.
type kind uint8

const (
	kindNone       kind = iota // of no use here
	kindConstant               // also an offset in another section, before DWARF 4
	kindAddress                //
	kindAddressX               // index in .debug_addr
	kindReference              // offset in .debug_info
	kindUnitRef                // offset in the unit
	kindRangesX                // index in .debug_rnglists
	kindString                 // offset in the section that the value stands in
	kindStringStr              // offset in .debug_str
	kindStringLine             // offset in .debug_line_str
	kindStringX                // index in .debug_str_offsets
)

// value is the value of an attribute.
type value struct {
	number uint64
	kind   kind
}

// fixed returns the size in bytes of a form, false if it varies.
func (e encoding) fixed(f form) (int, bool) {
	switch f {
	case formFlagPresent, formImplicitConst:
		return 0, true
	case formData1, formFlag, formRef1, formStrx1, formAddrx1:
		return 1, true
	case formData2, formRef2, formStrx2, formAddrx2:
		return 2, true
	case formStrx3, formAddrx3:
		return 3, true
	case formData4, formRef4, formRefSup4, formStrx4, formAddrx4:
		return 4, true
	case formData8, formRef8, formRefSig8, formRefSup8:
		return 8, true
	case formData16:
		return 16, true
	case formAddr:
		return int(e.address), true
	case formStrp, formLineStrp, formSecOffset, formStrpSup, formGNURefAlt, formGNUStrpAlt:
		return int(e.offset), true
	case formRefAddr:
		if e.version == 2 {
			return int(e.address), true
		}
		return int(e.offset), true
	}
	return 0, false
}

// kindOf returns what a form stands for.
func kindOf(f form) kind {
	switch f {
	case formData1, formData2, formData4, formData8, formSdata, formUdata, formSecOffset, formImplicitConst,
		formFlag, formFlagPresent:
		return kindConstant
	case formAddr:
		return kindAddress
	case formAddrx, formAddrx1, formAddrx2, formAddrx3, formAddrx4, formGNUAddrIndex:
		return kindAddressX
	case formRefAddr:
		return kindReference
	case formRef1, formRef2, formRef4, formRef8, formRefUdata:
		return kindUnitRef
	case formRnglistx:
		return kindRangesX
	case formString:
		return kindString
	case formStrp:
		return kindStringStr
	case formLineStrp:
		return kindStringLine
	case formStrx, formStrx1, formStrx2, formStrx3, formStrx4, formGNUStrIndex:
		return kindStringX
	}
	return kindNone
}

// value decodes a value. Blocks and strings are skipped; the number of a string that
// stands here is its place in the cursor's data.
func (c *cursor) value(f form, e encoding) value {
	v := value{kind: kindOf(f)}
	if size, ok := e.fixed(f); ok {
		switch size {
		case 0:
		case 16:
			c.skip(16)
		default:
			v.number = c.uint(size)
		}
		return v
	}
	switch f {
	case formUdata, formRefUdata, formStrx, formAddrx, formRnglistx, formLoclistx, formGNUAddrIndex, formGNUStrIndex:
		v.number = c.uleb()
	case formSdata:
		v.number = uint64(c.sleb())
	case formString:
		v.number = uint64(c.pos)
		c.skipString()
	case formBlock1:
		c.skip(c.u8())
	case formBlock2:
		c.skip(c.uint(2))
	case formBlock4:
		c.skip(c.uint(4))
	case formBlock, formExprloc:
		c.skip(c.uleb())
	case formIndirect:
		actual := c.uleb()
		if actual > 0xffff || form(actual) == formIndirect || form(actual) == formImplicitConst {
			c.fail()
			return value{}
		}
		return c.value(form(actual), e)
	default:
		c.fail()
	}
	return v
}
