// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plt is the expression of a table whose entries push until byte n.
func plt(n byte) []byte {
	return append(append(append([]byte{}, pltBefore...), literal0+n), pltBehind...)
}

func TestPLT(t *testing.T) {
	expression := plt(11)
	f, err := one(atEntry, append([]byte{opCFAExpression, byte(len(expression))}, expression...)...)
	require.NoError(t, err)
	for pc := uint64(functionAt); pc < functionAt+2*pltEntry; pc++ {
		want := Rule{Kind: FromSP, CFA: 8}
		if pc&15 >= 11 {
			want.CFA = 16
		}
		got, _ := f.rule(pc, false)
		assert.Equal(t, want, got, "at %#x", pc)
	}
}

func TestPLTRefusesOtherExpressions(t *testing.T) {
	for _, expression := range [][]byte{{}, plt(11)[:6], plt(11)[:7], append(plt(11), 0x22), plt(0x40)} {
		_, ok := pltCFA(expression, functionAt)
		assert.False(t, ok, "% x", expression)
	}
}

func TestSignal(t *testing.T) {
	program := append([]byte{opCFAExpression, byte(len(signalCFA))}, signalCFA...)
	b := builder{}
	signal := b.cie(1, "zRS", []byte{pointerAbsolute}, program...)
	b.fde(signal, functionAt, functionBytes)
	plain := b.cie(1, "zR", []byte{pointerAbsolute}, program...)
	b.fde(plain, functionAt+functionBytes, functionBytes)
	f, err := newFrames(b.data, bases{}, false, false)
	require.NoError(t, err)
	got, _ := f.rule(functionAt+1, false)
	assert.Equal(t, Rule{Kind: Signal}, got)
	got, ok := f.rule(functionAt+functionBytes, false)
	assert.True(t, ok)
	assert.Equal(t, Rule{}, got, "the same expression outside a signal's frame")
}
