// SPDX-License-Identifier: Apache-2.0

package lines

import "math"

// Entries of .debug_rnglists. What is none of them ends a list, as 0 should.
const (
	rangeBaseX        = 1
	rangeStartXEndX   = 2
	rangeStartXLength = 3
	rangeOffsetPair   = 4
	rangeBase         = 5
	rangeStartEnd     = 6
	rangeStartLength  = 7
)

// extent is the attributes that say which addresses an entry has.
type extent struct {
	low, high, ranges value
}

// spans calls each with the addresses of an entry that lie in code, until it returns
// false.
func (t *Table) spans(u *unit, e extent, each func(low, high uint64) bool) {
	checked := func(low, high uint64) bool {
		if low >= high || !t.holdsCode(low) {
			return true
		}
		return each(low, high)
	}
	if e.ranges.kind != kindNone {
		t.rangeList(u, e.ranges, checked)
		return
	}
	low, ok := t.address(u, e.low)
	if !ok {
		return
	}
	if e.high.kind == kindConstant {
		checked(low, low+e.high.number)
	} else if high, ok := t.address(u, e.high); ok {
		checked(low, high)
	}
}

// address returns the address that a value stands for.
func (t *Table) address(u *unit, v value) (uint64, bool) {
	switch v.kind {
	case kindAddress:
		return v.number, true
	case kindAddressX:
		return t.indexed(&t.addr, u.addrBase, v.number, int(u.encoding.address))
	}
	return 0, false
}

// indexed returns a number from a table of them that starts at base.
func (t *Table) indexed(s *section, base, index uint64, size int) (uint64, bool) {
	if base > s.size || index > s.size/uint64(size) {
		return 0, false
	}
	c := s.cursorAt(base+index*uint64(size), uint64(size))
	n := c.uint(size)
	return n, !c.bad
}

func (t *Table) rangeList(u *unit, at value, each func(low, high uint64) bool) {
	if u.version < 5 {
		if at.kind == kindConstant {
			t.oldRanges(u, at.number, each)
		}
		return
	}
	offset := at.number
	if at.kind == kindRangesX {
		relative, ok := t.indexed(&t.rnglists, u.rangesBase, at.number, int(u.offset))
		if !ok {
			return
		}
		offset = u.rangesBase + relative
	} else if at.kind != kindConstant {
		return
	}
	t.newRanges(u, offset, each)
}

// oldRanges walks a list in .debug_ranges.
func (t *Table) oldRanges(u *unit, offset uint64, each func(low, high uint64) bool) {
	done := 0 // by an attempt with fewer bytes
	t.ranges.decode(offset, func(c *cursor) bool {
		base := u.low
		for i := 0; t.work.spend(1); i++ {
			low, high := c.uint(int(u.encoding.address)), c.uint(int(u.encoding.address))
			switch {
			case c.bad || low == 0 && high == 0:
				return true
			case low == math.MaxUint64 || u.encoding.address == 4 && low == math.MaxUint32:
				base = high
			case i >= done:
				done = i + 1
				if !each(base+low, base+high) {
					return true
				}
			}
		}
		return false
	})
}

// newRanges walks a list in .debug_rnglists.
func (t *Table) newRanges(u *unit, offset uint64, each func(low, high uint64) bool) {
	done := 0
	t.rnglists.decode(offset, func(c *cursor) bool {
		base := u.low
		for i := 0; t.work.spend(1); i++ {
			low, high, more := t.newRange(u, c, &base)
			if c.bad || !more {
				return true
			}
			if i < done {
				continue
			}
			done = i + 1
			if low < high && !each(low, high) {
				return true
			}
		}
		return false
	})
}

// newRange decodes an entry, which may be no more than a new base: an empty range.
func (t *Table) newRange(u *unit, c *cursor, base *uint64) (low, high uint64, more bool) {
	size := int(u.encoding.address)
	indexed := func() uint64 {
		address, ok := t.indexed(&t.addr, u.addrBase, c.uleb(), size)
		if !ok {
			more = false
		}
		return address
	}
	more = true
	switch c.u8() {
	case rangeBaseX:
		*base = indexed()
	case rangeStartXEndX:
		low, high = indexed(), indexed()
	case rangeStartXLength:
		low = indexed()
		high = low + c.uleb()
	case rangeOffsetPair:
		low, high = *base+c.uleb(), *base+c.uleb()
	case rangeBase:
		*base = c.uint(size)
	case rangeStartEnd:
		low, high = c.uint(size), c.uint(size)
	case rangeStartLength:
		low = c.uint(size)
		high = low + c.uleb()
	default:
		return 0, 0, false
	}
	return low, high, more
}
