// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"cmp"
	"debug/dwarf"
	"slices"
)

const (
	attrGNURangesBase dwarf.Attr = 0x2132
	attrGNUAddrBase   dwarf.Attr = 0x2133
)

// Types of units, since DWARF 5.
const (
	unitCompile  = 1
	unitPartial  = 3
	unitSkeleton = 4
)

// unit is a unit of .debug_info. Offsets are those in their section.
type unit struct {
	start, root, end uint64 // its header, its first entry, the next unit
	abbrevs          uint64
	encoding
	compile bool // not a partial one, which has only what other units refer to
	listed  bool // its addresses are listed
	failed  bool // reading it failed: it is not tried again

	low                           uint64 // what the addresses in its lists of ranges count from
	addrBase, strBase, rangesBase uint64
	lines                         uint64 // in .debug_line
	hasLines                      bool
	dir                           value // where it was compiled
}

const unitBytes = 160

// readUnits lists the units of .debug_info that are of use, in their order.
func (t *Table) readUnits() {
	for offset := uint64(0); offset < t.info.size && len(t.units) < maxUnits && t.work.spend(16); {
		// The longest header has 39 bytes.
		c := t.info.cursorAt(offset, 64)
		u := readUnitHeader(&c, offset)
		if u.end <= offset || u.end > t.info.size {
			return // nothing tells where the next one starts
		}
		offset = u.end
		if !c.bad && t.readRoot(&u) {
			t.units = append(t.units, u)
		}
	}
	t.units = slices.Clip(t.units)
}

// readUnitHeader decodes the header of the unit at an offset. The cursor is bad if the
// unit is of no use; its end is 0 if not even that is known.
func readUnitHeader(c *cursor, offset uint64) (u unit) {
	length, is64 := c.length()
	if c.bad || length > maxInfo {
		c.fail()
		return u
	}
	u.start, u.end = offset, offset+uint64(c.pos)+length
	u.encoding = encoding{version: uint8(min(c.uint(2), 255)), offset: uint8(offsetSize(is64))}
	kind := uint64(unitCompile)
	switch u.version {
	case 2, 3, 4:
		u.abbrevs = c.uint(int(u.offset))
		u.address = uint8(c.u8())
	case 5:
		kind = c.u8()
		u.address = uint8(c.u8())
		u.abbrevs = c.uint(int(u.offset))
	default:
		c.fail()
	}
	switch kind {
	case unitCompile, unitPartial:
	case unitSkeleton:
		c.skip(8)
	default: // of types, or split off
		c.fail()
	}
	u.root = offset + uint64(c.pos)
	if u.root >= u.end || (u.address != 4 && u.address != 8) {
		c.fail()
	}
	return u
}

// readRoot decodes the first entry of a unit, false if it is of no use. Of the table of
// abbreviations only the start is decoded, as the unit may never be asked for.
func (t *Table) readRoot(u *unit) bool {
	start := t.info.cursorAt(u.root, 16)
	code := start.uleb()
	if code == 0 {
		return false
	}
	table := readAbbrevs(&t.abbrev, u.abbrevs, u.encoding, code)
	if table == nil {
		return false
	}
	var low, high, ranges value
	ok := t.info.decode(u.root, func(c *cursor) bool {
		a := table.get(c.uleb())
		if a == nil || (a.tag != dwarf.TagCompileUnit && a.tag != dwarf.TagPartialUnit && a.tag != dwarf.TagSkeletonUnit) {
			return false
		}
		u.compile = a.tag != dwarf.TagPartialUnit
		for _, attr := range table.of(a) {
			if !t.work.spend(1) {
				return false
			}
			v := attr.value(c, u.encoding)
			switch attr.name {
			case dwarf.AttrLowpc:
				low = v
			case dwarf.AttrHighpc:
				high = v
			case dwarf.AttrRanges:
				ranges = v
			case dwarf.AttrStmtList:
				u.lines, u.hasLines = v.number, v.kind == kindConstant
			case dwarf.AttrCompDir:
				u.dir = v.within(u.root)
			case dwarf.AttrAddrBase, attrGNUAddrBase:
				u.addrBase = v.number
			case dwarf.AttrStrOffsetsBase:
				u.strBase = v.number
			case dwarf.AttrRnglistsBase:
				u.rangesBase = v.number
			}
		}
		return true
	})
	if !ok {
		return false
	}
	if u.low, ok = t.address(u, low); !ok {
		u.low = 0
	}
	if u.compile {
		t.claim(u, extent{low, high, ranges})
	}
	return true
}

// within makes the place of a string that stands in an entry one in the section, for
// an entry that is decoded from an offset on.
func (v value) within(offset uint64) value {
	if v.kind == kindString {
		v.number += offset
	}
	return v
}

// claim notes that the addresses of the unit that is read next are its own.
func (t *Table) claim(u *unit, e extent) {
	id := claimID(int32(len(t.units)), true)
	u.listed = e.ranges.kind != kindNone
	if e.high.kind == kindNone && e.ranges.kind == kindNone {
		t.silent = append(t.silent, int32(len(t.units)))
		return
	}
	t.spans(u, e, func(low, high uint64) bool {
		t.claims = append(t.claims, span{low, high, id})
		return len(t.claims) < maxUnitRanges
	})
}

// unitStart returns the place of the unit whose header is at an offset in .debug_info,
// else of the first one after it.
func (t *Table) unitStart(offset uint64) (int, bool) {
	return slices.BinarySearchFunc(t.units, offset, func(u unit, offset uint64) int {
		return cmp.Compare(u.start, offset)
	})
}

// unitOf returns the unit that an offset in .debug_info lies in, nil if there is none.
func (t *Table) unitOf(offset uint64) *unit {
	i, exact := t.unitStart(offset)
	if exact || i == 0 {
		return nil
	}
	if u := &t.units[i-1]; offset >= u.root && offset < u.end {
		return u
	}
	return nil
}

// claimID is the id that the addresses of a unit are claimed with. Addresses that a
// unit states itself are its own before those that something else says are. Of units
// that claim the same the first one has it: the linker keeps one copy of a function and
// the debug information of all.
func claimID(place int32, own bool) int32 {
	if own {
		return 2*maxUnits - place
	}
	return maxUnits - place
}

// claimant returns the place of the unit that has claimed something with an id.
func claimant(id int32) int32 {
	if id > maxUnits {
		id -= maxUnits
	}
	return maxUnits - id
}
