// SPDX-License-Identifier: Apache-2.0

package image

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func packZlib(t testing.TB, data []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func packZstd(t testing.TB, data []byte) []byte {
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// packedSection is a section of a file of a class and byte order that has nothing else.
func packedSection(class elf.Class, order binary.ByteOrder, name string, parts ...any) *Section {
	var out bytes.Buffer
	for _, p := range parts {
		_ = binary.Write(&out, order, p)
	}
	f := &ELF{ReaderAt: bytes.NewReader(out.Bytes()), size: uint64(out.Len())}
	f.Class, f.ByteOrder = class, order
	h := elf.Section64{Size: uint64(out.Len()), Type: uint32(elf.SHT_PROGBITS)}
	if name != ".zdebug_info" {
		h.Flags = uint64(elf.SHF_COMPRESSED)
	}
	s := f.newSection(h)
	s.Name = name
	return s
}

func packed64(method elf.CompressionType, size uint64, data []byte) *Section {
	return packedSection(elf.ELFCLASS64, binary.LittleEndian, ".debug_info", elf.Chdr64{Type: uint32(method), Size: size}, data)
}

func TestUnpack(t *testing.T) {
	plain := make([]byte, 100_000) // half of it as dense as can be
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(plain[:50_000])
	size := uint64(len(plain))
	for name, s := range map[string]*Section{
		"zlib": packed64(elf.COMPRESS_ZLIB, size, packZlib(t, plain)),
		"zstd": packed64(elf.COMPRESS_ZSTD, size, packZstd(t, plain)),
		"32 bits, big-endian": packedSection(elf.ELFCLASS32, binary.BigEndian, ".debug_info",
			elf.Chdr32{Type: uint32(elf.COMPRESS_ZLIB), Size: uint32(size)}, packZlib(t, plain)),
		"old": packedSection(elf.ELFCLASS32, binary.LittleEndian, ".zdebug_info",
			[]byte("ZLIB"), binary.BigEndian.AppendUint64(nil, size), packZlib(t, plain)),
	} {
		require.True(t, s.Compressed(), name)
		got, err := s.Bytes(size)
		require.NoError(t, err, name)
		assert.True(t, bytes.Equal(plain, got), name)
		_, err = s.Bytes(size - 1)
		require.ErrorIs(t, err, ErrTooLarge, name)
	}
}

func TestUnpackRefuses(t *testing.T) {
	plain := []byte("what is packed, what is packed, what is packed")
	size := uint64(len(plain))
	for name, tt := range map[string]struct {
		section *Section
		want    error
	}{
		"kind":       {packed64(99, size, packZlib(t, plain)), ErrCompression},
		"no kind":    {packed64(0, size, packZlib(t, plain)), ErrCompression},
		"not zlib":   {packed64(elf.COMPRESS_ZLIB, size, plain), zlib.ErrHeader},
		"not zstd":   {packed64(elf.COMPRESS_ZSTD, size, plain), zstd.ErrMagicMismatch},
		"cut off":    {packed64(elf.COMPRESS_ZLIB, size, packZlib(t, plain)[:10]), io.ErrUnexpectedEOF},
		"shorter":    {packed64(elf.COMPRESS_ZLIB, size+1, packZlib(t, plain)), io.ErrUnexpectedEOF},
		"header":     {packedSection(elf.ELFCLASS64, binary.LittleEndian, "", uint32(1)), io.ErrUnexpectedEOF},
		"old header": {packedSection(elf.ELFCLASS64, binary.LittleEndian, ".zdebug_info", []byte("ZLIB")), io.ErrUnexpectedEOF},
		"old magic": {packedSection(elf.ELFCLASS64, binary.LittleEndian, ".zdebug_info",
			[]byte("ZZZZ"), size, packZlib(t, plain)), ErrCompression},
	} {
		_, err := tt.section.Bytes(1 << 20)
		assert.ErrorIs(t, err, tt.want, name)
	}
	beyond := packed64(elf.COMPRESS_ZLIB, size, packZlib(t, plain))
	beyond.Size++
	_, err := beyond.Bytes(1 << 20)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// What unpacks to more than was said is cut off there, and what cannot unpack to as
// much is not allocated.
func TestUnpackIsBounded(t *testing.T) {
	bomb := make([]byte, 1<<20)
	for method, packed := range map[elf.CompressionType][]byte{
		elf.COMPRESS_ZLIB: packZlib(t, bomb),
		elf.COMPRESS_ZSTD: packZstd(t, bomb),
	} {
		data, err := packed64(method, 100, packed).Bytes(100)
		require.NoError(t, err)
		assert.Len(t, data, 100)

		data, err = packed64(method, 1<<20, packed).Bytes(1 << 20)
		require.NoError(t, err, "as dense as can be")
		assert.Len(t, data, 1<<20)

		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = packed64(method, 1<<30, packed[:8]).Bytes(1 << 30)
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	}
}
