// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func debugFrameSection() []byte {
	b := builder{debug: true}
	cie := b.cie(3, "", nil, atEntry...)
	b.fde(cie, functionAt, functionBytes)
	return b.data
}

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

// compressed puts an Elf64_Chdr before packed data.
func compressed(kind elf.CompressionType, size uint64, packed []byte) []byte {
	header := order.AppendUint32(nil, uint32(kind))
	header = order.AppendUint32(header, 0)
	header = order.AppendUint64(header, size)
	return append(order.AppendUint64(header, 8), packed...)
}

func TestCompressedDebugFrame(t *testing.T) {
	plain := debugFrameSection()
	size := uint64(len(plain))
	for name, p := range map[string]part{
		"plain": {name: ".debug_frame", data: plain},
		"zlib":  {name: ".debug_frame", flags: elf.SHF_COMPRESSED, data: compressed(elf.COMPRESS_ZLIB, size, packZlib(t, plain))},
		"zstd":  {name: ".debug_frame", flags: elf.SHF_COMPRESSED, data: compressed(elf.COMPRESS_ZSTD, size, packZstd(t, plain))},
		"old":   {name: ".zdebug_frame", data: append(binary.BigEndian.AppendUint64([]byte("ZLIB"), size), packZlib(t, plain)...)},
	} {
		table := readTable(t, elfWith(t, p))
		assert.Equal(t, Rule{Kind: FromSP, CFA: 8}, table.Rule(functionAt, false), name)
	}
}

// The section that is asked first speaks for its code; the other for the rest.
func TestEHFrameBesideDebugFrame(t *testing.T) {
	b := builder{}
	cie := b.cie(1, "zR", []byte{pointerAbsolute}, append(atEntry, opCFAOffset, 16)...)
	b.fde(cie, functionAt, 16)
	table := readTable(t, elfWith(t,
		part{name: ".eh_frame", addr: sectionAddress, data: b.data},
		part{name: ".debug_frame", data: debugFrameSection()}))
	assert.Equal(t, Rule{Kind: FromSP, CFA: 16}, table.Rule(functionAt, false))
	assert.Equal(t, Rule{Kind: FromSP, CFA: 8}, table.Rule(functionAt+16, false))
	assert.Equal(t, Rule{}, table.Rule(functionAt+functionBytes, false))
}
