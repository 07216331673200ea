// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"math"
)

// rule is the Rule of the code at pc; false where no entry covers it.
func (f *frames) rule(pc uint64, returnAddress bool) (Rule, bool) {
	inside := pc
	if returnAddress {
		inside--
	}
	d, ok := f.find(inside)
	if !ok {
		return Rule{}, false
	}
	r, common, ok := f.rowAt(d, inside)
	if !ok {
		return Rule{}, true
	}
	return r.rule(common.signal, pc), true
}

// rule says what a row means, Unknown where a Rule cannot say it.
func (r *row) rule(signal bool, pc uint64) Rule {
	if signal && bytes.Equal(r.expression, signalCFA) {
		return Rule{Kind: Signal}
	}
	if r.ra.how == undefined {
		return Rule{Kind: End}
	}
	if r.ra != (saved{atOffset, -wordSize}) || r.sp.how != unset && r.sp != (saved{how: isOffset}) {
		return Rule{}
	}
	fp, ok := r.fp.framePointer()
	if !ok {
		return Rule{}
	}
	if r.expression != nil {
		if cfa, ok := pltCFA(r.expression, pc); ok {
			return Rule{Kind: FromSP, CFA: cfa, FP: fp}
		}
		return Rule{}
	}
	kind := r.kind()
	if kind == Unknown {
		return Rule{}
	}
	return Rule{Kind: kind, CFA: int32(r.offset), FP: fp}
}

// kind is Unknown where the CFA is not said by one of the two registers, or lies
// where no return address can be.
func (r *row) kind() Kind {
	switch {
	case r.offset < math.MinInt32 || r.offset > math.MaxInt32:
		return Unknown
	case r.register == registerSP && r.offset >= wordSize:
		return FromSP
	case r.register == registerFP:
		return FromFP
	default:
		return Unknown
	}
}

// framePointer is Rule.FP. An undefined one is left as it is: no caller relies on it.
func (s saved) framePointer() (int16, bool) {
	switch s.how {
	case unset, same, undefined:
		return 0, true
	case atOffset:
		return int16(s.offset), s.offset != 0 && s.offset == int64(int16(s.offset))
	default:
		return 0, false
	}
}

// signalCFA is the CFA of code that a signal handler returns to, as DWARF has it: the
// word at SP+160 (DW_OP_breg7 160, DW_OP_deref).
var signalCFA = []byte{0x77, 0xa0, 0x01, 0x06}

// Linkers write the CFA of a procedure linkage table as SP+8, or SP+16 from the push
// in each entry of 16 bytes on: DW_OP_breg7 8, breg16 0, lit15, and, litN, ge, lit3,
// shl, plus. N, where the push ends, differs between kinds of tables.
var (
	pltBefore = []byte{0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a}
	pltBehind = []byte{0x2a, 0x33, 0x24, 0x22}
)

const (
	literal0 = 0x30
	literals = 32
	pltEntry = 16
)

func pltCFA(expression []byte, pc uint64) (int32, bool) {
	rest, ok := bytes.CutPrefix(expression, pltBefore)
	if !ok || len(rest) == 0 || !bytes.Equal(rest[1:], pltBehind) {
		return 0, false
	}
	if rest[0] < literal0 || rest[0] >= literal0+literals {
		return 0, false
	}
	if pc%pltEntry >= uint64(rest[0]-literal0) {
		return 2 * wordSize, true
	}
	return wordSize, true
}
