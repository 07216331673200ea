// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"cmp"
	"errors"
	"slices"
)

var errProgram = errors.New("line program that makes no sense")

// Standard opcodes.
const (
	opCopy         = 1
	opAdvancePC    = 2
	opAdvanceLine  = 3
	opSetFile      = 4
	opConstAddPC   = 8
	opFixedAdvance = 9
	opEndSequence  = 1 // extended, as the next
	opSetAddress   = 2
	specialLast    = 255
	maxLine        = 1<<31 - 1
)

// sequence is rows for addresses that follow each other, the last one only an end.
type sequence struct {
	low, high   uint64
	first, last int // rows
}

// lineProgram is the machine that a line table is a program for.
type lineProgram struct {
	header *lineHeader
	table  *Table
	c      cursor

	address, operation uint64
	file, line         uint64

	rows      []row
	start     int // the first row of the sequence that is open
	sequences []sequence
}

// readRows returns the rows of a line table in the order of their addresses. Every
// sequence ends with a row of noFile.
func (t *Table) readRows(h *lineHeader) ([]row, error) {
	if h.end-h.program > maxUnitSize {
		return nil, ErrTooLarge
	}
	data, err := t.line.take(h.program, h.end-h.program)
	if err != nil {
		return nil, err
	}
	p := &lineProgram{header: h, table: t, c: cursor{data: data, big: t.big}}
	p.reset()
	for !p.c.atEnd() {
		if !t.work.spend(1) {
			return nil, errSpent
		}
		p.step()
		if len(p.rows) > maxRows {
			return nil, ErrTooLarge
		}
	}
	if p.c.bad {
		return nil, errProgram
	}
	return p.sorted(), nil
}

func (p *lineProgram) reset() {
	p.address, p.operation, p.file, p.line = 0, 0, 1, 1
	p.start = len(p.rows)
}

func (p *lineProgram) step() {
	opcode := p.c.u8()
	if base := p.header.opcodeBase(); opcode >= base {
		adjusted := opcode - base
		p.advance(adjusted / p.header.lineRange)
		p.line += uint64(p.header.lineBase + int64(adjusted%p.header.lineRange))
		p.emit()
		return
	}
	switch opcode {
	case 0:
		p.extended()
	case opCopy:
		p.emit()
	case opAdvancePC:
		p.advance(p.c.uleb())
	case opAdvanceLine:
		p.line += uint64(p.c.sleb())
	case opSetFile:
		p.file = p.c.uleb()
	case opConstAddPC:
		p.advance((specialLast - p.header.opcodeBase()) / p.header.lineRange)
	case opFixedAdvance:
		p.address += p.c.uint(2)
		p.operation = 0
	default:
		for range p.header.lengths[opcode-1] {
			p.c.uleb()
		}
	}
}

func (p *lineProgram) extended() {
	size := p.c.uleb()
	end := uint64(p.c.pos) + size
	if p.c.bad || size == 0 || size > uint64(len(p.c.data)) || end > uint64(len(p.c.data)) {
		p.c.fail()
		return
	}
	switch p.c.u8() {
	case opEndSequence:
		p.endSequence()
		p.reset()
	case opSetAddress:
		if size-1 == 4 || size-1 == 8 {
			p.address, p.operation = p.c.uint(int(size-1)), 0
		}
	}
	p.c.pos = int(end)
}

// advance moves on by operations, of which an instruction of some machines has several.
func (p *lineProgram) advance(operations uint64) {
	if p.header.maxOperations == 1 {
		p.address += p.header.minInstruction * operations
		return
	}
	p.operation += operations
	p.address += p.header.minInstruction * (p.operation / p.header.maxOperations)
	p.operation %= p.header.maxOperations
}

// emit adds a row. Of rows with the same address the last one counts.
func (p *lineProgram) emit() {
	next := row{p.address, uint32(min(p.file, maxFiles)), 0}
	if p.line <= maxLine {
		next.line = uint32(p.line)
	}
	if last := len(p.rows) - 1; last >= p.start && p.rows[last].address == next.address {
		p.rows[last] = next
		return
	}
	p.rows = append(p.rows, next)
}

// endSequence closes a sequence, and drops it if it is empty or not about code. Its
// last rows may start where it ends.
func (p *lineProgram) endSequence() {
	rows := p.rows[p.start:]
	if !slices.IsSortedFunc(rows, byAddress) {
		slices.SortStableFunc(rows, byAddress)
	}
	for len(rows) > 0 && rows[len(rows)-1].address >= p.address {
		rows = rows[:len(rows)-1]
	}
	p.rows = p.rows[:p.start+len(rows)]
	if len(rows) == 0 || !p.table.holdsCode(rows[0].address) {
		p.rows = p.rows[:p.start]
		return
	}
	p.rows = append(p.rows, row{p.address, noFile, 0})
	p.sequences = append(p.sequences, sequence{rows[0].address, p.address, p.start, len(p.rows)})
}

// sorted joins the sequences. Where two overlap, the one that starts first has the
// addresses of both, as the linker keeps one copy of a function and the line tables of
// all.
func (p *lineProgram) sorted() []row {
	slices.SortFunc(p.sequences, func(a, b sequence) int {
		return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(b.high, a.high), cmp.Compare(a.first, b.first))
	})
	var out []row
	end := uint64(0)
	for _, s := range p.sequences {
		if s.high <= end {
			continue
		}
		rows := p.rows[s.first:s.last]
		if s.low < end {
			rows = from(rows, end)
		}
		out = appendRows(out, rows)
		end = s.high
	}
	return slices.Clip(out)
}
