// SPDX-License-Identifier: Apache-2.0

package lines

import "errors"

var errHeader = errors.New("line table header that makes no sense")

// Contents of directories and files, since DWARF 5.
const (
	contentPath      = 1
	contentDirectory = 2
)

// text is a string that has not been read yet: kindString stands in .debug_line.
type text = value

// file is a source file of a line table.
type file struct {
	name text
	dir  uint32 // place in dirs
}

const (
	textBytes = 16
	fileBytes = 24
)

// lineHeader is the header of a line table.
type lineHeader struct {
	encoding
	program, end uint64 // in .debug_line

	minInstruction uint64
	maxOperations  uint64
	lineBase       int64
	lineRange      uint64
	lengths        []uint8 // operands of the standard opcodes, from opcode 1 on

	dirs  []text // the first is where the unit was compiled, of no use before DWARF 5
	files []file // the first is number 0
}

// opcodeBase is the first special opcode.
func (h *lineHeader) opcodeBase() uint64 { return uint64(len(h.lengths)) + 1 }

// readLineHeader decodes the header of the line table of a unit.
func (t *Table) readLineHeader(u *unit) (*lineHeader, error) {
	var h *lineHeader
	ok := t.line.decode(u.lines, func(c *cursor) bool {
		h = &lineHeader{}
		return h.read(c, u, t)
	})
	if !ok {
		return nil, errHeader
	}
	return h, nil
}

func (h *lineHeader) read(c *cursor, u *unit, t *Table) bool {
	length, is64 := c.length()
	h.end = u.lines + uint64(c.pos) + length
	if c.bad || length > t.line.size || h.end > t.line.size {
		return false
	}
	h.encoding = encoding{version: uint8(min(c.uint(2), 255)), address: u.address, offset: uint8(offsetSize(is64))}
	if h.version < 2 || h.version > 5 {
		return false
	}
	if h.version >= 5 {
		h.address = uint8(c.u8())
		c.u8() // segment selectors are not in use
	}
	rest := c.uint(int(h.offset))
	h.program = u.lines + uint64(c.pos) + rest
	h.readNumbers(c)
	if c.bad || h.lineRange == 0 || h.maxOperations == 0 || rest > t.line.size || h.program > h.end {
		return false
	}
	if h.version >= 5 {
		return h.readTables(c, u, t.work)
	}
	return h.readOldTables(c, u, t.work)
}

func (h *lineHeader) readNumbers(c *cursor) {
	h.minInstruction, h.maxOperations = c.u8(), 1
	if h.version >= 4 {
		h.maxOperations = c.u8()
	}
	c.u8() // whether rows are statements is of no use
	h.lineBase = int64(int8(c.u8()))
	h.lineRange = c.u8()
	for range max(c.u8(), 1) - 1 {
		h.lengths = append(h.lengths, uint8(c.u8()))
	}
}

// here returns the string at the cursor, and whether it is empty.
func here(c *cursor, u *unit) (s text, empty bool) {
	s = text{u.lines + uint64(c.pos), kindString}
	start := c.pos
	c.skipString()
	return s, c.pos == start+1
}

func (h *lineHeader) readOldTables(c *cursor, u *unit, work *meter) bool {
	h.dirs = []text{{}}
	h.files = []file{{}}
	for !c.bad && len(h.dirs) < maxFiles && work.spend(1) {
		dir, empty := here(c, u)
		if empty {
			break
		}
		h.dirs = append(h.dirs, dir)
	}
	for !c.bad && len(h.files) < maxFiles && work.spend(1) {
		name, empty := here(c, u)
		if empty {
			return true
		}
		dir := c.uleb()
		c.uleb() // when it was changed
		c.uleb() // how long it is
		h.files = append(h.files, file{name, uint32(min(dir, maxFiles))})
	}
	return false
}

// content is what the tables of DWARF 5 say of each directory or file.
type content struct {
	what uint64
	form form
}

func (h *lineHeader) readTables(c *cursor, u *unit, work *meter) bool {
	if h.address != 4 && h.address != 8 {
		return false
	}
	dirs := func(name text, _ uint32) { h.dirs = append(h.dirs, name) }
	files := func(name text, dir uint32) { h.files = append(h.files, file{name, dir}) }
	return h.readTable(c, u, work, dirs) && h.readTable(c, u, work, files)
}

func (h *lineHeader) readTable(c *cursor, u *unit, work *meter, add func(name text, dir uint32)) bool {
	var contents []content
	for range c.u8() {
		next := content{c.uleb(), form(min(c.uleb(), 0xffff))}
		if next.form == formImplicitConst || next.form == formIndirect {
			return false
		}
		contents = append(contents, next)
	}
	count := c.uleb()
	if count > maxFiles {
		return false
	}
	for range count {
		var name text
		dir := uint64(0)
		for _, content := range contents {
			v := c.value(content.form, h.encoding)
			switch content.what {
			case contentPath:
				name = v.within(u.lines)
			case contentDirectory:
				dir = v.number
			}
		}
		if c.bad || !work.spend(1+len(contents)) {
			return false
		}
		add(name, uint32(min(dir, maxFiles)))
	}
	return !c.bad
}
