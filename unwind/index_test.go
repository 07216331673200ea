// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

func TestIndexOfEveryForm(t *testing.T) {
	for name, b := range map[string]*builder{
		"eh_frame":           {},
		"eh_frame 64-bit":    {wide: true},
		"debug_frame":        {debug: true},
		"debug_frame 64-bit": {debug: true, wide: true},
	} {
		for _, version := range []byte{1, 3, 4} {
			b.data = nil
			first := b.cie(version, "", nil, atEntry...)
			b.fde(first, functionAt+functionBytes, functionBytes)
			second := b.cie(version, "", nil, append(atEntry, opCFAOffset, 16)...)
			b.fde(second, functionAt, functionBytes)
			b.fde(first, functionAt+2*functionBytes, functionBytes)
			f, err := newFrames(b.data, bases{}, b.debug, false)
			require.NoError(t, err, name)
			for i, cfa := range []int32{16, 8, 8} {
				got, _ := f.rule(functionAt+uint64(i)*functionBytes, false)
				assert.Equal(t, Rule{Kind: FromSP, CFA: cfa}, got, "%s, version %d, function %d", name, version, i)
			}
		}
	}
}

func TestIndexEdges(t *testing.T) {
	f, err := one(atEntry)
	require.NoError(t, err)
	for pc, want := range map[uint64]bool{
		0: false, functionAt - 1: false, functionAt: true,
		functionAt + functionBytes - 1: true, functionAt + functionBytes: false, ^uint64(0): false,
	} {
		_, ok := f.rule(pc, false)
		assert.Equal(t, want, ok, "at %#x", pc)
	}
	_, ok := f.rule(0, true)
	assert.False(t, ok, "the byte before address 0")
}

// Empty entries lie in the middle of a section that several linkers wrote, but end one
// whose size is not known.
func TestIndexAtEmptyEntry(t *testing.T) {
	b := builder{}
	cie := b.cie(1, "zR", []byte{pointerAbsolute}, atEntry...)
	b.fde(cie, functionAt, functionBytes)
	end := len(b.data)
	b.data = order.AppendUint32(b.data, 0)
	b.fde(cie, functionAt+functionBytes, functionBytes)

	f, err := newFrames(b.data, bases{}, false, false)
	require.NoError(t, err)
	assert.Len(t, f.fdes, 2)
	f, err = newFrames(b.data, bases{}, false, true)
	require.NoError(t, err)
	assert.Len(t, f.fdes, 1)
	assert.Len(t, f.data, end)
}

func TestIndexKeepsWhatComesBeforeAFault(t *testing.T) {
	b := builder{}
	cie := b.cie(1, "zR", []byte{pointerAbsolute}, atEntry...)
	b.fde(cie, functionAt, functionBytes)
	b.data = append(b.data, 0xf0, 0xff, 0xff, 0x7f, 1, 2, 3)
	f, err := newFrames(b.data, bases{}, false, false)
	require.NoError(t, err)
	assert.Len(t, f.fdes, 1)
}

func TestIndexLeavesOut(t *testing.T) {
	for name, write := range map[string]func(b *builder, cie uint64){
		"no length":         func(b *builder, cie uint64) { b.fde(cie, functionAt, 0) },
		"around the end":    func(b *builder, cie uint64) { b.fde(cie, ^uint64(0)-8, 16) },
		"too long":          func(b *builder, cie uint64) { b.fde(cie, functionAt, 1<<32) },
		"no CIE":            func(b *builder, cie uint64) { b.record(false, 1<<20, make([]byte, 24)) },
		"an FDE as CIE":     func(b *builder, cie uint64) { b.record(false, uint64(len(b.data)), make([]byte, 24)) },
		"short":             func(b *builder, cie uint64) { b.record(false, cie, make([]byte, 8)) },
		"old augmentation":  func(b *builder, cie uint64) { b.fde(b.cie(1, "eh", []byte{0}, atEntry...), functionAt, 16) },
		"letter":            func(b *builder, cie uint64) { b.fde(b.cie(1, "zB", []byte{0}, atEntry...), functionAt, 16) },
		"long augmentation": func(b *builder, cie uint64) { b.fde(b.cie(1, "zSSSSSSSSS", nil, atEntry...), functionAt, 16) },
		"version":           func(b *builder, cie uint64) { b.fde(b.cie(2, "", nil, atEntry...), functionAt, 16) },
		"indirect":          func(b *builder, cie uint64) { b.fde(b.cie(1, "zR", []byte{pointerIndirect}), functionAt, 16) },
		"relative to code":  func(b *builder, cie uint64) { b.fde(b.cie(1, "zR", []byte{0x20}), functionAt, 16) },
		"augmentation beyond": func(b *builder, cie uint64) {
			b.fde(b.cie(1, "zP", []byte{pointerU64}, make([]byte, 16)...), functionAt, 16)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := builder{}
			cie := b.cie(1, "zR", []byte{pointerAbsolute}, atEntry...)
			b.fde(cie, 0x900000, 16)
			write(&b, cie)
			f, err := newFrames(b.data, bases{}, false, false)
			require.NoError(t, err)
			assert.Len(t, f.fdes, 1)
		})
	}
}

func TestIndexOfNothing(t *testing.T) {
	_, err := newFrames(nil, bases{}, false, false)
	require.ErrorIs(t, err, ErrNoRules)
	_, err = newFrames(make([]byte, maxFrameBytes+1), bases{}, false, false)
	require.ErrorIs(t, err, image.ErrTooLarge)
}

// A personality routine and language-specific data are passed over.
func TestCIEOfCPlusPlus(t *testing.T) {
	b := builder{}
	data := []byte{0x9b, 1, 2, 3, 4, 0x1b, pointerU32} // P, L, R
	cie := b.cie(1, "zPLR", data, atEntry...)
	body := order.AppendUint32(nil, functionAt)
	body = order.AppendUint32(body, functionBytes)
	b.record(false, cie, append(body, 4, 9, 9, 9, 9, opCFAOffset, 24))
	f, err := newFrames(b.data, bases{}, false, false)
	require.NoError(t, err)
	got, _ := f.rule(functionAt, false)
	assert.Equal(t, Rule{Kind: FromSP, CFA: 24}, got)
}
