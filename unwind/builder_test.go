// SPDX-License-Identifier: Apache-2.0

package unwind

import "encoding/binary"

// sectionAddress is where the sections that tests write lie.
const sectionAddress = 0x10000

// builder writes an .eh_frame section, or a .debug_frame section, by hand.
type builder struct {
	data  []byte
	debug bool
	wide  bool // 64-bit lengths
}

var order = binary.LittleEndian

// record appends a CIE, with the identifier id, or an FDE of the CIE at an offset.
func (b *builder) record(isCIE bool, cie uint64, body []byte) (offset uint64) {
	offset = uint64(len(b.data))
	idSize := 4
	if b.wide && b.debug {
		idSize = 8
	}
	length := idSize + len(body)
	if b.wide {
		b.data = order.AppendUint32(b.data, extendedLength)
		b.data = order.AppendUint64(b.data, uint64(length))
	} else {
		b.data = order.AppendUint32(b.data, uint32(length))
	}
	id := cie
	switch {
	case !b.debug && !isCIE:
		id = uint64(len(b.data)) - cie
	case !b.debug:
		id = 0
	case isCIE:
		id = debugCIE64
	}
	if idSize == 8 {
		b.data = order.AppendUint64(b.data, id)
	} else {
		b.data = order.AppendUint32(b.data, uint32(id))
	}
	b.data = append(b.data, body...)
	return offset
}

// cie appends one with code alignment 1 and data alignment -8.
func (b *builder) cie(version byte, augmentation string, data []byte, program ...byte) uint64 {
	body := append([]byte{version}, augmentation...)
	body = append(body, 0)
	if version == 4 {
		body = append(body, 8, 0)
	}
	body = append(body, 1, 0x78, registerRA)
	if augmentation != "" {
		body = append(body, byte(len(data)))
		body = append(body, data...)
	}
	return b.record(true, 0, append(body, program...))
}

// fde appends one whose pointers are absolute, of 8 bytes.
func (b *builder) fde(cie uint64, start, length uint64, program ...byte) uint64 {
	body := order.AppendUint64(nil, start)
	body = order.AppendUint64(body, length)
	if augmented := !b.debug && b.data[cie+9] == 'z'; augmented {
		body = append(body, 0)
	}
	return b.record(false, cie, append(body, program...))
}

// atEntry is what holds where a function begins: the CFA is SP+8, the return address
// at CFA-8.
var atEntry = []byte{opCFA, registerSP, 8, opOffset | registerRA, 1}

// functionAt is where the function of one begins.
const functionAt, functionBytes = 0x401000, 0x100

// one returns the frames of a section with one function.
func one(cieProgram []byte, program ...byte) (*frames, error) {
	b := builder{}
	cie := b.cie(1, "zR", []byte{pointerAbsolute}, cieProgram...)
	b.fde(cie, functionAt, functionBytes, program...)
	return newFrames(b.data, bases{section: sectionAddress}, false, false)
}
