// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/unwind"
)

// rulesOf reads the rules of a program that has nothing but so many functions.
func rulesOf(t *testing.T, functions int) *unwind.Table {
	t.Helper()
	le := binary.LittleEndian
	cie := []byte{1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, 0x0c, 7, 8, 0x90, 1, 0, 0}
	frames := append(le.AppendUint32(le.AppendUint32(nil, uint32(4+len(cie))), 0), cie...)
	for i := range uint64(functions) {
		frames = le.AppendUint32(frames, 24)
		frames = le.AppendUint32(frames, uint32(len(frames)))
		frames = le.AppendUint64(le.AppendUint64(frames, 0x1000+i), 1)
		frames = append(frames, 0, 0, 0, 0)
	}
	names := []byte("\x00.eh_frame\x00")
	const header, section = 64, 64
	h := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1,
		Ehsize: header, Phentsize: 56, Shoff: header, Shentsize: section, Shnum: 3, Shstrndx: 2,
	}
	const at = header + 3*section
	sections := []elf.Section64{
		{},
		{Name: 1, Type: uint32(elf.SHT_PROGBITS), Off: at + uint64(len(names)), Size: uint64(len(frames)), Addr: 0x10000},
		{Type: uint32(elf.SHT_STRTAB), Off: at, Size: uint64(len(names))},
	}
	var file bytes.Buffer
	for _, part := range []any{h, sections, names, frames} {
		require.NoError(t, binary.Write(&file, le, part))
	}
	table, err := unwind.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	return table
}

// One file whose rules are too large must not have those of all others dropped and
// read again.
func TestATableThatIsTooLargeAlone(t *testing.T) {
	c := newCode(nil)
	small, large := &codeTable{rules: rulesOf(t, 1)}, &codeTable{rules: rulesOf(t, 1<<20-1)}
	require.Greater(t, large.rules.Bytes(), maxOneTable)
	c.keep(fileState{inode: 1}, small)
	inUse := c.bytes
	c.keep(fileState{inode: 2}, large)
	assert.Nil(t, large.rules)
	assert.Equal(t, inUse, c.bytes)
	assert.Same(t, small, c.byFile[fileState{inode: 1}], "it stays")
	assert.Contains(t, c.byFile, fileState{inode: 2}, "it is not read again")
}
