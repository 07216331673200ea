// SPDX-License-Identifier: Apache-2.0

package unwind

// Call frame instructions (DW_CFA_*). The upper two bits of the first three are the
// operation, the rest is an operand.
const (
	opAdvance = 0x40
	opOffset  = 0x80
	opRestore = 0xc0

	opNop             = 0x00
	opSetLocation     = 0x01
	opAdvance1        = 0x02
	opAdvance2        = 0x03
	opAdvance4        = 0x04
	opOffsetExtended  = 0x05
	opRestoreExtended = 0x06
	opUndefined       = 0x07
	opSameValue       = 0x08
	opRegister        = 0x09
	opRemember        = 0x0a
	opRecall          = 0x0b
	opCFA             = 0x0c
	opCFARegister     = 0x0d
	opCFAOffset       = 0x0e
	opCFAExpression   = 0x0f
	opExpression      = 0x10
	opOffsetSigned    = 0x11
	opCFASigned       = 0x12
	opCFAOffsetSigned = 0x13
	opValOffset       = 0x14
	opValOffsetSigned = 0x15
	opValExpression   = 0x16
	opArgsSize        = 0x2e
	opOffsetNegative  = 0x2f
)

// Bounds of the execution of one program.
const (
	maxInstructions = 1 << 16
	maxRemembered   = 64
)

// saved says where the caller's value of a register is.
type saved struct {
	how    savedHow
	offset int64 // to the CFA
}

type savedHow uint8

const (
	unset savedHow = iota
	same
	undefined
	atOffset // in memory at the CFA + offset
	isOffset // it is the CFA + offset
	elsewhere
)

// row is what holds of the frame at one place in the code, as far as a Rule needs it.
type row struct {
	register   uint64 // the CFA is this register + offset
	offset     int64
	expression []byte // not nil: the CFA is its result
	fp, sp, ra saved
}

func (r *row) saved(register uint64) *saved {
	switch register {
	case registerFP:
		return &r.fp
	case registerSP:
		return &r.sp
	case registerRA:
		return &r.ra
	default:
		return &saved{}
	}
}

// machine executes call frame instructions up to the row of a program counter.
type machine struct {
	cursor
	cie        *cie
	bases      bases
	pc         uint64
	location   uint64
	row        row
	initial    row
	remembered []row
	left       int // instructions that may yet be executed
	passed     bool
}

// rowAt returns the row for pc, which lies in d; false where the program is not
// understood or too long.
func (f *frames) rowAt(d fde, pc uint64) (row, cie, bool) {
	e, ok := f.entryAt(uint64(d.offset))
	if !ok {
		return row{}, cie{}, false
	}
	common, ok := f.parseCIE(e.cie)
	if !ok {
		return row{}, cie{}, false
	}
	m := machine{cie: &common, bases: f.bases, pc: pc, location: d.start, left: maxInstructions}
	m.row.register = noRegister
	m.run(cursorAt(f.data, common.program, common.end))
	if m.location != d.start { // a CIE has no place in the code
		return row{}, cie{}, false
	}
	m.initial = m.row
	body := cursorAt(f.data, e.body, e.end)
	body.plainPointer(common.pointers)
	body.plainPointer(common.pointers)
	if common.augmented {
		body.next(body.uleb())
	}
	m.run(body)
	return m.row, common, !m.bad
}

// noRegister is none that an instruction can name on this machine.
const noRegister = ^uint64(0)

// run executes until the end, or the first row behind pc.
func (m *machine) run(c cursor) {
	c.bad = c.bad || m.bad
	m.cursor = c
	for !m.done() && !m.passed {
		if m.left--; m.left < 0 {
			m.bad = true
			return
		}
		m.step()
	}
}

func (m *machine) step() {
	op := m.u8()
	operand := uint64(op & 0x3f)
	switch op & 0xc0 {
	case opAdvance:
		m.advance(operand)
	case opOffset:
		m.saveAt(operand, m.factored(m.uleb()))
	case opRestore:
		m.restore(operand)
	default:
		m.stepExtended(op)
	}
}

func (m *machine) stepExtended(op byte) {
	switch op {
	case opNop:
	case opSetLocation:
		m.moveTo(m.pointer(m.cie.pointers, m.bases))
	case opAdvance1:
		m.advance(uint64(m.u8()))
	case opAdvance2:
		m.advance(uint64(m.u16()))
	case opAdvance4:
		m.advance(uint64(m.u32()))
	case opRemember:
		m.remember()
	case opRecall:
		m.recall()
	case opArgsSize:
		m.uleb()
	case opCFA, opCFASigned, opCFARegister, opCFAOffset, opCFAOffsetSigned, opCFAExpression:
		m.defineCFA(op)
	default:
		m.saveRegister(op, m.uleb())
	}
}

func (m *machine) defineCFA(op byte) {
	switch op {
	case opCFA:
		m.row.register, m.row.offset, m.row.expression = m.uleb(), int64(m.uleb()), nil
	case opCFASigned:
		m.row.register, m.row.offset, m.row.expression = m.uleb(), m.sleb()*m.cie.dataAlign, nil
	case opCFARegister:
		m.row.register = m.uleb()
		m.bad = m.bad || m.row.expression != nil
	case opCFAOffset:
		m.row.offset = int64(m.uleb())
		m.bad = m.bad || m.row.expression != nil
	case opCFAOffsetSigned:
		m.row.offset = m.sleb() * m.cie.dataAlign
		m.bad = m.bad || m.row.expression != nil
	case opCFAExpression:
		m.row.expression = m.next(m.uleb())
	}
}

// saveRegister executes the instructions whose first operand is a register.
func (m *machine) saveRegister(op byte, register uint64) {
	switch op {
	case opOffsetExtended:
		m.saveAt(register, m.factored(m.uleb()))
	case opOffsetSigned:
		m.saveAt(register, m.sleb()*m.cie.dataAlign)
	case opOffsetNegative:
		m.saveAt(register, -m.factored(m.uleb()))
	case opValOffset:
		*m.row.saved(register) = saved{isOffset, m.factored(m.uleb())}
	case opValOffsetSigned:
		*m.row.saved(register) = saved{isOffset, m.sleb() * m.cie.dataAlign}
	case opRestoreExtended:
		m.restore(register)
	case opUndefined:
		*m.row.saved(register) = saved{how: undefined}
	case opSameValue:
		*m.row.saved(register) = saved{how: same}
	case opRegister:
		m.uleb()
		*m.row.saved(register) = saved{how: elsewhere}
	case opExpression, opValExpression:
		m.next(m.uleb())
		*m.row.saved(register) = saved{how: elsewhere}
	default:
		m.bad = true
	}
}

func (m *machine) factored(n uint64) int64 { return int64(n) * m.cie.dataAlign }

func (m *machine) saveAt(register uint64, offset int64) {
	*m.row.saved(register) = saved{atOffset, offset}
}

func (m *machine) restore(register uint64) {
	*m.row.saved(register) = *m.initial.saved(register)
}

func (m *machine) advance(delta uint64) { m.moveTo(m.location + delta*m.cie.codeAlign) }

func (m *machine) moveTo(location uint64) {
	m.bad = m.bad || location < m.location
	m.location = location
	m.passed = location > m.pc
}

func (m *machine) remember() {
	if len(m.remembered) == maxRemembered {
		m.bad = true
		return
	}
	m.remembered = append(m.remembered, m.row)
}

func (m *machine) recall() {
	last := len(m.remembered) - 1
	if last < 0 {
		m.bad = true
		return
	}
	m.row, m.remembered = m.remembered[last], m.remembered[:last]
}
