// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func requireSound(t *testing.T, r Rule) {
	switch r.Kind {
	case FromSP:
		require.GreaterOrEqual(t, r.CFA, int32(wordSize))
	case FromFP:
	case Unknown, Signal, End:
		require.Equal(t, Rule{Kind: r.Kind}, r)
	default:
		require.Fail(t, "no such kind", "%d", r.Kind)
	}
}

func requireSoundFrames(t *testing.T, f *frames) {
	require.NotEmpty(t, f.fdes)
	require.True(t, slices.IsSortedFunc(f.fdes, func(a, b fde) int {
		if a.start > b.start {
			return 1
		}
		return 0
	}))
	require.LessOrEqual(t, len(f.fdes), len(f.data)/wordSize)
	for _, d := range f.fdes[:min(len(f.fdes), 64)] {
		require.NotZero(t, d.length)
		for _, pc := range []uint64{d.start, d.start + uint64(d.length)/2, d.start + uint64(d.length) - 1} {
			found, ok := f.find(pc)
			require.True(t, !ok || found.covers(pc))
			r, _ := f.rule(pc, false)
			requireSound(t, r)
		}
		_, ok := f.find(d.start)
		require.True(t, ok)
	}
}

func requireSoundGo(t *testing.T, g *goTable) {
	require.NotEmpty(t, g.functions)
	for i, f := range g.functions[:min(len(g.functions), 64)] {
		require.Less(t, f.start, g.end)
		require.True(t, i == 0 || g.functions[i-1].start < f.start)
		r, ok := g.rule(g.base+uint64(f.start), false)
		require.True(t, ok)
		requireSound(t, r)
	}
}

// FuzzRead reads any bytes as an ELF file.
func FuzzRead(f *testing.F) {
	f.Add(smallELF(f))
	f.Add(withoutSections(smallELF(f)))
	f.Add(goELF(f, magic116, goText))
	f.Add(goELF(f, magic120, 0))
	f.Add(withoutSections(goELF(f, magic118, goText)))
	plain := debugFrameSection()
	f.Add(elfWith(f, part{name: ".debug_frame", data: plain}))
	for kind, packed := range map[elf.CompressionType][]byte{
		elf.COMPRESS_ZLIB: packZlib(f, plain), elf.COMPRESS_ZSTD: packZstd(f, plain),
	} {
		f.Add(elfWith(f, part{name: ".debug_frame", flags: elf.SHF_COMPRESSED, data: compressed(kind, uint64(len(plain)), packed)}))
	}
	f.Add(headerELF(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			require.Nil(t, table)
			return
		}
		require.NotEmpty(t, table.sources)
		require.Less(t, table.Bytes(), 4*maxSection)
		for _, s := range table.sources {
			switch s := s.(type) {
			case *frames:
				requireSoundFrames(t, s)
			case *goTable:
				requireSoundGo(t, s)
			}
		}
		requireSound(t, table.Rule(functionAt, true))
	})
}

// headerELF has no section named .eh_frame, but .eh_frame_hdr in its segment.
func headerELF(t testing.TB) []byte {
	b := builder{}
	cie := b.cie(1, "zR", []byte{pointerAbsolute}, atEntry...)
	b.fde(cie, functionAt, functionBytes)
	header := append([]byte{ehFrameHeaderVersion, pointerS32 | relativeToPC, pointerOmitted, pointerOmitted},
		order.AppendUint32(nil, sectionAddress-(0x9000+4))...)
	data := elfWith(t,
		part{name: ".header", addr: 0x9000, data: header},
		part{name: ".frames", addr: sectionAddress, data: b.data})
	order.PutUint32(data[headerBytes:], uint32(elf.PT_GNU_EH_FRAME))
	return data
}

func TestReadByHeader(t *testing.T) {
	require.Equal(t, Rule{Kind: FromSP, CFA: 8}, readTable(t, headerELF(t)).Rule(functionAt, false))
}

// FuzzFrames indexes any bytes.
func FuzzFrames(f *testing.F) {
	for _, b := range []*builder{{}, {wide: true}, {debug: true}, {debug: true, wide: true}} {
		cie := b.cie(1, "zR", []byte{pointerAbsolute}, atEntry...)
		b.fde(cie, functionAt, functionBytes, opAdvance|1, opCFAOffset, 16)
		b.data = order.AppendUint32(b.data, 0)
		b.fde(cie, functionAt, functionBytes)
		f.Add(b.data, b.debug, false)
		f.Add(b.data, b.debug, true)
	}
	f.Fuzz(func(t *testing.T, data []byte, debug, untilEmpty bool) {
		frames, err := newFrames(data, bases{section: sectionAddress, data: 0x500}, debug, untilEmpty)
		if err != nil {
			require.ErrorIs(t, err, ErrNoRules)
			return
		}
		require.LessOrEqual(t, len(frames.data), len(data))
		requireSoundFrames(t, frames)
	})
}

// FuzzRule executes any instructions. Those before an advance hold at the beginning,
// whatever follows it.
func FuzzRule(f *testing.F) {
	f.Add(atEntry, []byte{opAdvance | 1, opCFAOffset, 16, opOffset | registerFP, 2}, uint8(4))
	f.Add(atEntry, []byte{opRemember, opAdvance2, 1, 0, opRecall, opRestore | registerRA}, uint8(0))
	f.Add(atEntry, append([]byte{opCFAExpression, byte(len(signalCFA))}, signalCFA...), uint8(9))
	f.Add(atEntry, append([]byte{opCFAExpression, byte(len(plt(11)))}, plt(11)...), uint8(11))
	f.Fuzz(func(t *testing.T, initial, program []byte, offset uint8) {
		frames, err := one(initial, program...)
		require.NoError(t, err)
		pc := functionAt + uint64(offset)
		r, ok := frames.rule(pc, false)
		require.True(t, ok)
		requireSound(t, r)
		again, _ := frames.rule(pc, false)
		require.Equal(t, r, again)

		more, err := one(initial, append(slices.Clone(program), opAdvance|1, opCFAOffset, 64)...)
		require.NoError(t, err)
		if d, location := more.fdes[0], lastLocation(more); location == d.start && r.Kind != Unknown {
			first, _ := more.rule(d.start, false)
			want, _ := frames.rule(d.start, false)
			require.Equal(t, want, first)
		}
	})
}

// lastLocation is where the last row of the first FDE but the one begins that the test
// has appended.
func lastLocation(f *frames) uint64 {
	d := f.fdes[0]
	e, _ := f.entryAt(uint64(d.offset))
	common, _ := f.parseCIE(e.cie)
	m := machine{cie: &common, pc: math.MaxUint64, location: d.start, left: maxInstructions}
	m.run(cursorAt(f.data, common.program, common.end))
	c := cursorAt(f.data, e.body+2*wordSize+1, e.end)
	m.run(c)
	return m.location - 1
}

// FuzzStep steps over a stack of any words by any rule.
func FuzzStep(f *testing.F) {
	f.Add(uint8(FromSP), int32(16), int16(-16), uint64(0x1000), uint64(0x1010), []byte("0123456789abcdef0123456789abcdef"))
	f.Add(uint8(FromFP), int32(-16), int16(0), uint64(0x1000), ^uint64(0), make([]byte, 64))
	f.Add(uint8(Signal), int32(0), int16(0), uint64(0), uint64(0), make([]byte, 200))
	f.Fuzz(func(t *testing.T, kind uint8, cfa int32, fp int16, sp, frame uint64, stack []byte) {
		regs := Registers{PC: 1, SP: sp, FP: frame}
		r := Rule{Kind: Kind(kind), CFA: cfa, FP: fp}
		read := reader(sp, stack)
		caller, ok := r.Step(regs, read)
		if !ok {
			require.Zero(t, caller)
			return
		}
		require.NotEqual(t, sp, caller.SP)
		if r.Kind == Signal {
			return
		}
		require.GreaterOrEqual(t, caller.SP, sp+wordSize)
		pc, ok := read(caller.SP - wordSize)
		require.True(t, ok)
		require.Equal(t, pc, caller.PC)
	})
}

// reader reads words of a stack that begins at sp.
func reader(sp uint64, stack []byte) func(uint64) (uint64, bool) {
	return func(address uint64) (uint64, bool) {
		offset := address - sp
		if offset >= uint64(len(stack)) || uint64(len(stack))-offset < wordSize {
			return 0, false
		}
		return binary.LittleEndian.Uint64(stack[offset:]), true
	}
}

// FuzzScan searches a stack of any words.
func FuzzScan(f *testing.F) {
	f.Add(uint64(0x1000), 64, uint64(0x3000), []byte("0123456789abcdef0123456789abcdef"))
	f.Add(^uint64(0)-16, math.MaxInt, uint64(0), make([]byte, 64))
	f.Add(^uint64(0)-16, math.MaxInt, uint64(87), []byte("00\x00\x00\x00\x00\x00\x00\x0000000000"))
	f.Fuzz(func(t *testing.T, sp uint64, limit int, from uint64, stack []byte) {
		read := reader(sp, stack)
		isReturn := func(address uint64) bool { return address >= from }
		r, ok := Scan(sp, limit, read, isReturn)
		requireSound(t, r)
		require.Equal(t, ok, r.Kind == FromSP)
		if ok {
			require.LessOrEqual(t, int(r.CFA), limit)
			caller, ok := r.Step(Registers{SP: sp}, read)
			require.True(t, ok)
			require.True(t, isReturn(caller.PC))
		}
		called, rel, direct := BehindCall(stack)
		require.True(t, called || !direct && rel == 0)
	})
}

// FuzzGo reads any bytes as .gopclntab.
func FuzzGo(f *testing.F) {
	for _, magic := range []uint32{magic116, magic118, magic120} {
		f.Add(goTableBytes(magic, goText))
	}
	f.Add(goTableBytes(magic120, 0))
	f.Fuzz(func(t *testing.T, table []byte) {
		data := goELFWith(t, table)
		got, err := ReadGo(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		requireSoundGo(t, got.sources[0].(*goTable))
	})
}
