// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProgram(t *testing.T) {
	fromSP := func(cfa int32, fp int16) Rule { return Rule{FromSP, cfa, fp} }
	pushed := []byte{opAdvance | 1, opCFAOffset, 16, opOffset | registerFP, 2}
	for name, c := range map[string]struct {
		program []byte
		want    map[uint64]Rule // by offset in the function
	}{
		"none":          {nil, map[uint64]Rule{0: fromSP(8, 0), functionBytes - 1: fromSP(8, 0)}},
		"nop":           {[]byte{opNop, opNop}, map[uint64]Rule{0: fromSP(8, 0)}},
		"push":          {pushed, map[uint64]Rule{0: fromSP(8, 0), 1: fromSP(16, -16), 9: fromSP(16, -16)}},
		"frame pointer": {append(pushed, opAdvance|3, opCFARegister, registerFP), map[uint64]Rule{3: fromSP(16, -16), 4: {FromFP, 16, -16}}},
		"restore":       {append(pushed, opAdvance|3, opRestore|registerFP), map[uint64]Rule{3: fromSP(16, -16), 4: fromSP(16, 0)}},
		"restore extended": {append(pushed, opRestoreExtended, registerFP),
			map[uint64]Rule{1: fromSP(16, 0)}},
		"restored return address": {[]byte{opRegister, registerRA, 2, opAdvance | 1, opRestore | registerRA},
			map[uint64]Rule{0: {}, 1: fromSP(8, 0)}},
		"remember": {append(append([]byte{opRemember}, pushed...), opAdvance|1, opRecall),
			map[uint64]Rule{0: fromSP(8, 0), 1: fromSP(16, -16), 2: fromSP(8, 0)}},
		"same":            {append(pushed, opSameValue, registerFP), map[uint64]Rule{1: fromSP(16, 0)}},
		"advance1":        {[]byte{opAdvance1, 200, opCFAOffset, 24}, map[uint64]Rule{199: fromSP(8, 0), 200: fromSP(24, 0)}},
		"advance2":        {[]byte{opAdvance2, 3, 0, opCFAOffset, 24}, map[uint64]Rule{2: fromSP(8, 0), 3: fromSP(24, 0)}},
		"advance4":        {[]byte{opAdvance4, 3, 0, 0, 0, opCFAOffset, 24}, map[uint64]Rule{2: fromSP(8, 0), 3: fromSP(24, 0)}},
		"set location":    {append(order.AppendUint64([]byte{opSetLocation}, functionAt+9), opCFAOffset, 24), map[uint64]Rule{8: fromSP(8, 0), 9: fromSP(24, 0)}},
		"signed CFA":      {[]byte{opCFASigned, registerFP, 0x7e}, map[uint64]Rule{0: {FromFP, 16, 0}}},
		"signed offset":   {[]byte{opCFAOffsetSigned, 0x7d}, map[uint64]Rule{0: fromSP(24, 0)}},
		"extended":        {[]byte{opOffsetExtended, registerFP, 2}, map[uint64]Rule{0: fromSP(8, -16)}},
		"extended signed": {[]byte{opOffsetSigned, registerFP, 0x7f}, map[uint64]Rule{0: {FromSP, 8, 8}}},
		"negative":        {[]byte{opOffsetNegative, registerFP, 1}, map[uint64]Rule{0: {FromSP, 8, 8}}},
		"arguments":       {[]byte{opArgsSize, 16}, map[uint64]Rule{0: fromSP(8, 0)}},
		"outermost":       {[]byte{opUndefined, registerRA}, map[uint64]Rule{0: {Kind: End}}},
		"large":           {[]byte{opCFAOffset, 0x80, 0x80, 0x04}, map[uint64]Rule{0: fromSP(1<<16, 0)}},
		"plain SP":        {[]byte{opValOffset, registerSP, 0}, map[uint64]Rule{0: fromSP(8, 0)}},
		"other register":  {[]byte{opOffset | 3, 2, opExpression, 12, 1, 0x77}, map[uint64]Rule{0: fromSP(8, 0)}},

		"CFA of another register": {[]byte{opCFARegister, 10}, map[uint64]Rule{0: {}}},
		"CFA too small":           {[]byte{opCFAOffset, 0}, map[uint64]Rule{0: {}}},
		"CFA too large":           {[]byte{opCFAOffset, 0x80, 0x80, 0x80, 0x80, 0x10}, map[uint64]Rule{0: {}}},
		"expression":              {[]byte{opCFAExpression, 2, 0x77, 8}, map[uint64]Rule{0: {}}},
		"offset to an expression": {[]byte{opCFAExpression, 2, 0x77, 8, opCFAOffset, 8}, map[uint64]Rule{0: {}}},
		"FP in a register":        {[]byte{opRegister, registerFP, 3}, map[uint64]Rule{0: {}}},
		"FP by expression":        {[]byte{opExpression, registerFP, 1, 0x77}, map[uint64]Rule{0: {}}},
		"FP too far":              {[]byte{opOffset | registerFP, 0x80, 0x40}, map[uint64]Rule{0: {}}},
		"FP at the CFA":           {[]byte{opOffset | registerFP, 0}, map[uint64]Rule{0: {}}},
		"SP elsewhere":            {[]byte{opOffset | registerSP, 2}, map[uint64]Rule{0: {}}},
		"return address aside":    {[]byte{opOffset | registerRA, 2}, map[uint64]Rule{0: {}}},
		"not known":               {[]byte{0x2d, 0}, map[uint64]Rule{0: {}}},
		"cut off":                 {[]byte{opCFAExpression, 200, 1}, map[uint64]Rule{0: {}}},
		"recall too much":         {[]byte{opRecall}, map[uint64]Rule{0: {}}},
		"remember too much":       {bytes.Repeat([]byte{opRemember}, maxRemembered+1), map[uint64]Rule{0: {}}},
		"too long":                {bytes.Repeat([]byte{opNop}, maxInstructions+1), map[uint64]Rule{0: {}}},
		"backwards": {append(order.AppendUint64([]byte{opAdvance | 4, opSetLocation}, functionAt), opCFAOffset, 24),
			map[uint64]Rule{0: fromSP(8, 0), 4: {}}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := one(atEntry, c.program...)
			require.NoError(t, err)
			for offset, want := range c.want {
				got, ok := f.rule(functionAt+offset, false)
				assert.True(t, ok)
				assert.Equal(t, want, got, "at %d", offset)
			}
		})
	}
}

func TestReturnAddressBelongsToTheCall(t *testing.T) {
	f, err := one(atEntry, opAdvance|8, opCFAOffset, 32)
	require.NoError(t, err)
	got, _ := f.rule(functionAt+8, true)
	assert.Equal(t, Rule{Kind: FromSP, CFA: 8}, got)
	got, ok := f.rule(functionAt+functionBytes, true)
	assert.True(t, ok, "a call may be the last instruction")
	assert.Equal(t, Rule{Kind: FromSP, CFA: 32}, got)
	_, ok = f.rule(functionAt, true)
	assert.False(t, ok)
}
