// SPDX-License-Identifier: Apache-2.0

package lines

import "debug/dwarf"

// abbrev says what kind of entry follows and which attributes it has.
type abbrev struct {
	code     uint64
	tag      dwarf.Tag
	children bool
	// size is that of all attributes if it is the same in each entry, else -1.
	size  int32
	first uint32 // of its attributes, in abbrevs.attrs
	count uint32
}

type attr struct {
	name     dwarf.Attr
	form     form
	constant int64 // of formImplicitConst
}

// abbrevs is the table of abbreviations of a unit.
type abbrevs struct {
	list  []abbrev
	attrs []attr
	other map[uint64]int32 // place in list by code, where codes do not count from 1
}

func (a *abbrevs) bytes() int { return len(a.list)*32 + len(a.attrs)*16 + len(a.other)*32 }

func (a *abbrevs) get(code uint64) *abbrev {
	if code-1 < uint64(len(a.list)) && a.list[code-1].code == code {
		return &a.list[code-1]
	}
	if i, ok := a.other[code]; ok {
		return &a.list[i]
	}
	return nil
}

func (a *abbrevs) of(b *abbrev) []attr { return a.attrs[b.first:][:b.count] }

// value decodes the value of an attribute.
func (a attr) value(c *cursor, e encoding) value {
	if a.form == formImplicitConst {
		return value{uint64(a.constant), kindConstant}
	}
	return c.value(a.form, e)
}

// allCodes has readAbbrevs decode a whole table.
const allCodes = 0

// readAbbrevs decodes a table up to a code, nil if it makes no sense.
func readAbbrevs(s *section, offset uint64, e encoding, last uint64) *abbrevs {
	var a *abbrevs
	ok := s.decode(offset, func(c *cursor) bool {
		a = &abbrevs{}
		for a.add(c, e, s.work) {
			if last != allCodes && a.list[len(a.list)-1].code == last {
				break
			}
		}
		return !c.bad
	})
	if !ok {
		return nil
	}
	return a
}

// add decodes an abbreviation, false if there are no more.
func (a *abbrevs) add(c *cursor, e encoding, work *meter) bool {
	code := c.uleb()
	if code == 0 {
		return false
	}
	b := abbrev{code: code, tag: dwarf.Tag(c.uleb()), children: c.u8() != 0, first: uint32(len(a.attrs))}
	for {
		name, f := c.uleb(), c.uleb()
		if name == 0 && f == 0 {
			break
		}
		next := attr{name: dwarf.Attr(name), form: form(f)}
		if name > 0xffff || f > 0xffff || len(a.attrs) >= maxAbbrevAttrs || !work.spend(abbrevSteps) {
			c.fail()
			return false
		}
		if next.form == formImplicitConst {
			next.constant = c.sleb()
		}
		a.attrs = append(a.attrs, next)
		b.grow(next.form, e)
	}
	b.count = uint32(len(a.attrs)) - b.first
	if code != uint64(len(a.list))+1 {
		if a.other == nil {
			a.other = make(map[uint64]int32)
		}
		a.other[code] = int32(len(a.list))
	}
	a.list = append(a.list, b)
	if len(a.list) > maxAbbrevs {
		c.fail()
	}
	return !c.bad
}

// grow adds a form to the size of the entries.
func (b *abbrev) grow(f form, e encoding) {
	size, ok := e.fixed(f)
	if !ok || b.size < 0 {
		b.size = -1
		return
	}
	b.size += int32(size)
}

// abbrevCache keeps tables, which units may share.
type abbrevCache struct {
	section *section
	tables  map[abbrevKey]*abbrevs
	bytes   int
}

type abbrevKey struct {
	offset uint64
	encoding
}

// get returns the table at an offset, nil if it makes no sense.
func (k *abbrevCache) get(offset uint64, e encoding) *abbrevs {
	key := abbrevKey{offset, e}
	if a, ok := k.tables[key]; ok {
		return a
	}
	a := readAbbrevs(k.section, offset, e, allCodes)
	cost := 64
	if a != nil {
		cost += a.bytes()
	}
	if k.tables == nil || k.bytes+cost > maxKeptAbbrevs {
		k.tables, k.bytes = make(map[abbrevKey]*abbrevs), 0
	}
	k.tables[key] = a
	k.bytes += cost
	return a
}
