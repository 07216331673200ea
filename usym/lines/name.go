// SPDX-License-Identifier: Apache-2.0

package lines

import "debug/dwarf"

const attrMIPSLinkageName dwarf.Attr = 0x2007

// functionName returns the name of the function that an entry is about: the linkage
// name if there is one. It follows the entry to those that have what it lacks.
func (t *Table) functionName(entry uint64) string {
	plain := ""
	for range maxHops {
		u := t.unitOf(entry)
		if u == nil {
			break
		}
		names, ok := t.readNames(u, entry)
		if !ok {
			break
		}
		if linkage := t.text(names.linkage, u, &t.info); linkage != "" {
			return linkage
		}
		if plain == "" {
			plain = t.text(names.plain, u, &t.info)
		}
		if names.next == 0 {
			break
		}
		entry = names.next
	}
	return plain
}

// names is what an entry says of its name.
type names struct {
	linkage, plain text
	next           uint64 // the entry that has what this one lacks, 0 if none
}

func (t *Table) readNames(u *unit, entry uint64) (n names, ok bool) {
	table := t.abbrevs.get(u.abbrevs, u.encoding)
	if table == nil {
		return n, false
	}
	ok = t.info.decode(entry, func(c *cursor) bool {
		n = names{}
		a := table.get(c.uleb())
		if a == nil || !t.work.spend(int(a.count)) {
			return false
		}
		for _, attr := range table.of(a) {
			v := attr.value(c, u.encoding)
			switch attr.name {
			case dwarf.AttrLinkageName, attrMIPSLinkageName:
				n.linkage = v.within(entry)
			case dwarf.AttrName:
				n.plain = v.within(entry)
			case dwarf.AttrAbstractOrigin, dwarf.AttrSpecification:
				n.next = u.reference(v)
			}
		}
		return true
	})
	return n, ok
}

// reference returns the offset in .debug_info that a value stands for, 0 if none.
func (u *unit) reference(v value) uint64 {
	switch v.kind {
	case kindReference:
		return v.number
	case kindUnitRef:
		return u.start + v.number
	}
	return 0
}

// text reads a string that is referred to from a section.
func (t *Table) text(s text, u *unit, from *section) string {
	switch s.kind {
	case kindString:
		return from.text(s.number)
	case kindStringStr:
		return t.str.text(s.number)
	case kindStringLine:
		return t.lineStr.text(s.number)
	case kindStringX:
		if offset, ok := t.indexed(&t.strOffsets, u.strBase, s.number, int(u.offset)); ok {
			return t.str.text(offset)
		}
	}
	return ""
}

// fileName returns the path of a file of a unit's line table.
func (t *Table) fileName(u *unit, h *lineHeader, index uint32) string {
	if uint64(index) >= uint64(len(h.files)) {
		return ""
	}
	f := h.files[index]
	path := t.text(f.name, u, &t.line)
	if path == "" || path[0] == '/' {
		return path
	}
	return join(t.dirName(u, h, f.dir), path)
}

// dirName returns a directory of a line table, as seen from the first of them: the one
// that the unit was compiled in, which .debug_info names too.
func (t *Table) dirName(u *unit, h *lineHeader, index uint32) string {
	compiled := t.text(u.dir, u, &t.info)
	if h.version >= 5 && len(h.dirs) > 0 {
		if name := t.text(h.dirs[0], u, &t.line); name != "" {
			compiled = name
		}
	}
	if index == 0 || uint64(index) >= uint64(len(h.dirs)) {
		return compiled
	}
	return join(compiled, t.text(h.dirs[index], u, &t.line))
}

// join returns path as seen from dir, both as they were recorded.
func join(dir, path string) string {
	if dir == "" || path == "" || path[0] == '/' {
		return path
	}
	if dir[len(dir)-1] == '/' {
		return dir + path
	}
	return dir + "/" + path
}
