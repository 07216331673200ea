// SPDX-License-Identifier: Apache-2.0

package lines

import "slices"

// readAranges takes from .debug_aranges the addresses of units that have no list of
// their own: in DWARF 2 a unit in several sections states none, or those in one. For
// others it is not needed, and it may lack units.
func (t *Table) readAranges() {
	known := make(map[int32]bool)
	for offset := uint64(0); offset < t.aranges.size; {
		c := t.aranges.cursorAt(offset, 64)
		length, is64 := c.length()
		next := offset + uint64(c.pos) + length
		if c.bad || length > t.aranges.size || next > t.aranges.size || !t.work.spend(16) {
			break
		}
		if id, first, size := t.arangeHeader(&c, is64); !c.bad {
			t.readSet(id, offset+uint64(first), next, size, known)
		}
		offset = next
	}
	t.silent = slices.DeleteFunc(t.silent, func(id int32) bool { return known[id] })
}

// arangeHeader decodes the rest of a header: which unit the set is for, where in it the
// ranges start, and the size of an address. The cursor is bad if it is of no use.
func (t *Table) arangeHeader(c *cursor, is64 bool) (id int32, first, size int) {
	version := c.uint(2)
	offset := c.uint(offsetSize(is64))
	size = int(c.u8())
	selector := c.u8()
	i, exact := t.unitStart(offset)
	if version != 2 || selector != 0 || (size != 4 && size != 8) || !exact || t.units[i].listed || !t.units[i].compile {
		c.fail()
		return 0, 0, 0
	}
	// Ranges are aligned to their size, counted from the header.
	return int32(i), (c.pos + 2*size - 1) / (2 * size) * 2 * size, size
}

func (t *Table) readSet(id int32, offset, end uint64, size int, known map[int32]bool) {
	for pair := uint64(2 * size); offset+pair <= end && t.work.spend(1); offset += pair {
		c := t.aranges.cursorAt(offset, pair)
		low, length := c.uint(size), c.uint(size)
		if c.bad || low == 0 && length == 0 {
			return
		}
		if low+length > low && t.holdsCode(low) && len(t.claims) < maxUnitRanges {
			t.claims = append(t.claims, span{low, low + length, claimID(id, false)})
			known[id] = true
		}
	}
}
