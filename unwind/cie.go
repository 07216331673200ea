// SPDX-License-Identifier: Apache-2.0

package unwind

import "bytes"

// cie is a common information entry: what the frames that refer to it share.
type cie struct {
	codeAlign uint64
	dataAlign int64
	pointers  byte // encoding of pointers in its FDEs
	augmented bool // its FDEs have augmentation data
	signal    bool // its FDEs describe frames that a signal interrupted

	program, end uint64 // its instructions, as offsets in the section
}

const (
	registerFP = 6
	registerSP = 7
	registerRA = 16
)

// maxAugmentation is the longest augmentation string. Real ones have up to five.
const maxAugmentation = 8

// parseCIE reads the entry at an offset of the section; false where there is none, or
// one that is not understood.
func (f *frames) parseCIE(offset uint64) (cie, bool) {
	e, ok := f.entryAt(offset)
	if !ok || !e.isCIE {
		return cie{}, false
	}
	c := cursorAt(f.data, e.body, e.end)
	version := c.u8()
	if version != 1 && version != 3 && version != 4 {
		return cie{}, false
	}
	augmentation, ok := c.augmentation()
	if !ok {
		return cie{}, false
	}
	if version == 4 && (c.u8() != wordSize || c.u8() != 0) { // address and segment size
		return cie{}, false
	}
	parsed := cie{codeAlign: c.uleb(), dataAlign: c.sleb(), end: e.end}
	returnAddress := uint64(0)
	if version == 1 {
		returnAddress = uint64(c.u8())
	} else {
		returnAddress = c.uleb()
	}
	if returnAddress != registerRA || !parsed.augment(&c, augmentation) || c.bad {
		return cie{}, false
	}
	parsed.program = uint64(c.at)
	return parsed, true
}

// augmentation reads the string that says what else a CIE holds.
func (c *cursor) augmentation() (string, bool) {
	if c.bad {
		return "", false
	}
	window := c.data[c.at:min(len(c.data), c.at+maxAugmentation+1)]
	length := bytes.IndexByte(window, 0)
	if length < 0 {
		return "", false
	}
	c.at += length + 1
	return string(window[:length]), true
}

// augment reads the augmentation data that the string names.
func (e *cie) augment(c *cursor, augmentation string) bool {
	if augmentation == "" {
		return true
	}
	if augmentation[0] != 'z' {
		return false
	}
	e.augmented = true
	data := cursorAt(c.data, 0, uint64(len(c.data)))
	size := c.uleb()
	data.at = c.at
	c.next(size)
	for _, letter := range augmentation[1:] {
		switch letter {
		case 'L': // language-specific data: the encoding of a pointer to it
			data.u8()
		case 'P': // personality routine: an encoding and a pointer
			data.plainPointer(data.u8())
		case 'R':
			e.pointers = data.u8()
		case 'S':
			e.signal = true
		default:
			return false
		}
	}
	return !data.bad && data.at <= c.at
}
