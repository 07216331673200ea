// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

func TestReadELFLikeTheStandardLibrary(t *testing.T) {
	data, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	want, err := elf.NewFile(bytes.NewReader(data))
	require.NoError(t, err)
	got, err := image.ReadELF(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	assert.Equal(t, want.FileHeader, got.FileHeader)
	require.Len(t, got.Sections, len(want.Sections))
	for i, s := range want.Sections {
		header := s.SectionHeader
		if header.Flags&elf.SHF_COMPRESSED != 0 {
			header.Size = header.FileSize
		}
		assert.Equal(t, header, got.Sections[i].SectionHeader)
		if s.Type != elf.SHT_NOBITS {
			contents, err := s.Data()
			require.NoError(t, err)
			bytes, err := got.Sections[i].Bytes(1 << 30)
			require.NoError(t, err)
			assert.True(t, string(contents) == string(bytes), s.Name)
		}
	}
	require.Len(t, got.Progs, len(want.Progs))
	for i, p := range want.Progs {
		assert.Equal(t, p.ProgHeader, got.Progs[i].ProgHeader)
	}
}

// writeELF writes an ELF file of two segments and three sections in any class and byte
// order.
func writeELF(class elf.Class, order binary.ByteOrder) []byte {
	var ident [elf.EI_NIDENT]byte
	copy(ident[:], elf.ELFMAG)
	ident[elf.EI_CLASS], ident[elf.EI_DATA], ident[elf.EI_VERSION] = byte(class), byte(elf.ELFDATA2LSB), 1
	if order == binary.BigEndian {
		ident[elf.EI_DATA] = byte(elf.ELFDATA2MSB)
	}
	const names = "\x00.text\x00.names\x00"
	var out bytes.Buffer
	write := func(v any) { _ = binary.Write(&out, order, v) }
	if class == elf.ELFCLASS64 {
		const at = 64 + 2*56
		write(elf.Header64{Ident: ident, Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_PPC64), Version: 1, Entry: 0x1234,
			Phoff: 64, Phentsize: 56, Phnum: 2, Shoff: at, Shentsize: 64, Shnum: 3, Shstrndx: 2})
		write([]elf.Prog64{{Type: 1, Flags: 5, Off: 1, Vaddr: 2, Paddr: 3, Filesz: 4, Memsz: 5, Align: 6}, {Type: 4}})
		write([]elf.Section64{{}, {Name: 1, Type: 1, Flags: 6, Addr: 7, Off: at, Size: 9, Link: 2, Info: 1, Addralign: 4, Entsize: 5},
			{Name: 7, Type: 3, Off: at + 3*64, Size: uint64(len(names))}})
	} else {
		const at = 52 + 2*32
		write(elf.Header32{Ident: ident, Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_PPC), Version: 1, Entry: 0x1234,
			Phoff: 52, Phentsize: 32, Phnum: 2, Shoff: at, Shentsize: 40, Shnum: 3, Shstrndx: 2})
		write([]elf.Prog32{{Type: 1, Flags: 5, Off: 1, Vaddr: 2, Paddr: 3, Filesz: 4, Memsz: 5, Align: 6}, {Type: 4}})
		write([]elf.Section32{{}, {Name: 1, Type: 1, Flags: 6, Addr: 7, Off: at, Size: 9, Link: 2, Info: 1, Addralign: 4, Entsize: 5},
			{Name: 7, Type: 3, Off: at + 3*40, Size: uint32(len(names))}})
	}
	out.WriteString(names)
	return out.Bytes()
}

func TestReadELFOfAllClassesAndByteOrders(t *testing.T) {
	for _, class := range []elf.Class{elf.ELFCLASS32, elf.ELFCLASS64} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			data := writeELF(class, order)
			want, err := elf.NewFile(bytes.NewReader(data))
			require.NoError(t, err)
			got, err := image.ReadELF(bytes.NewReader(data), int64(len(data)))
			require.NoError(t, err)
			require.NoError(t, got.Damage)
			assert.Equal(t, want.FileHeader, got.FileHeader)
			require.Len(t, got.Progs, 2)
			for i, p := range want.Progs {
				assert.Equal(t, p.ProgHeader, got.Progs[i].ProgHeader)
			}
			require.Len(t, got.Sections, 3)
			for i, s := range want.Sections {
				assert.Equal(t, s.SectionHeader, got.Sections[i].SectionHeader)
			}
			assert.Same(t, got.Sections[1], got.Section(".text"))
			assert.Same(t, got.Sections[2], got.SectionByType(elf.SHT_STRTAB))
			assert.Nil(t, got.Section(".data"))
		}
	}
}

// A file of which one table cannot be read keeps the others.
func TestReadELFOfADamagedFile(t *testing.T) {
	whole := writeELF(elf.ELFCLASS64, binary.LittleEndian)
	patch := func(offset int, value byte) []byte {
		data := bytes.Clone(whole)
		data[offset] = value
		return data
	}
	for name, tt := range map[string]struct {
		data               []byte
		segments, sections int
		text               bool // has a name
	}{
		"size of segments":      {patch(54, 55), 0, 3, true},
		"place of segments":     {patch(38, 1), 0, 3, true},
		"size of sections":      {patch(58, 63), 2, 0, false},
		"place of sections":     {patch(46, 1), 2, 0, false},
		"number of sections":    {patch(61, 0xff), 2, 0, false},
		"names of another kind": {patch(62, 1), 2, 3, false},
	} {
		f, err := image.ReadELF(bytes.NewReader(tt.data), int64(len(tt.data)))
		require.NoError(t, err, name)
		require.Error(t, f.Damage, name)
		assert.Len(t, f.Progs, tt.segments, name)
		assert.Len(t, f.Sections, tt.sections, name)
		assert.Equal(t, tt.text, f.Section(".text") != nil, name)
	}
	f, err := image.ReadELF(bytes.NewReader(patch(62, 9)), int64(len(whole)))
	require.NoError(t, err)
	require.NoError(t, f.Damage, "no names are no damage")
	assert.Nil(t, f.Section(".text"))
}

func TestReadELFOfOtherFiles(t *testing.T) {
	whole := writeELF(elf.ELFCLASS64, binary.LittleEndian)
	for name, at := range map[string]int{"magic": 0, "class": elf.EI_CLASS, "byte order": elf.EI_DATA} {
		data := bytes.Clone(whole)
		data[at] = 9
		_, err := image.ReadELF(bytes.NewReader(data), int64(len(data)))
		require.ErrorIs(t, err, image.ErrNotELF, name)
	}
	_, err := image.ReadELF(bytes.NewReader(nil), 0)
	require.ErrorIs(t, err, image.ErrNotELF)
	_, err = image.ReadELF(bytes.NewReader(whole[:40]), 40)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestRangeIsBounded(t *testing.T) {
	data := writeELF(elf.ELFCLASS64, binary.LittleEndian)
	f, err := image.ReadELF(bytes.NewReader(data), 1<<62) // a size that lies
	require.NoError(t, err)
	got, err := f.Range(1, 3, 3)
	require.NoError(t, err)
	assert.Equal(t, "ELF", string(got))
	_, err = f.Range(1, 4, 3)
	require.ErrorIs(t, err, image.ErrTooLarge)
	for _, at := range []uint64{1, 1 << 61, 1<<63 + 5, 1<<64 - 1} {
		_, err = f.Range(at, 1<<40, 1<<41)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
}

// hostileNames is a file of n sections that all have the same name of the given size.
func hostileNames(n, size int, flags elf.SectionFlag) []byte {
	var out bytes.Buffer
	h := elf.Header64{Type: uint16(elf.ET_DYN), Version: 1, Shoff: 64, Shentsize: 64, Shnum: uint16(n), Shstrndx: 1}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	_ = binary.Write(&out, binary.LittleEndian, h)
	for i := range n {
		s := elf.Section64{Type: uint32(elf.SHT_PROGBITS)}
		if i == 0 {
			s.Type = 0
		}
		if i == 1 {
			s = elf.Section64{Type: uint32(elf.SHT_STRTAB), Flags: uint64(flags), Off: uint64(64 + 64*n), Size: uint64(size)}
		}
		_ = binary.Write(&out, binary.LittleEndian, s)
	}
	out.Write(bytes.Repeat([]byte("n"), size))
	return out.Bytes()
}

func TestReadELFOfManyLongNames(t *testing.T) {
	data := hostileNames(16000, 1<<20, 0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := image.ReadELF(bytes.NewReader(data), int64(len(data)))
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	assert.Len(t, f.Sections, 16000)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
}

func TestReadELFOfACompressedNameTable(t *testing.T) {
	data := hostileNames(3, 100, elf.SHF_COMPRESSED)
	f, err := image.ReadELF(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.ErrorContains(t, f.Damage, "not a table of strings")
}

func TestReadELFBoundsTheHeaders(t *testing.T) {
	data := hostileNames(3, 100, 0)
	binary.LittleEndian.PutUint16(data[60:], 0) // the number of sections is in section 0
	binary.LittleEndian.PutUint64(data[64+32:], 1<<30)
	f, err := image.ReadELF(endless{data}, 1<<40)
	require.NoError(t, err)
	require.ErrorIs(t, f.Damage, image.ErrTooLarge)
	assert.Empty(t, f.Sections)
}

// endless is data and zeros after it.
type endless struct{ data []byte }

func (e endless) ReadAt(p []byte, offset int64) (int, error) {
	clear(p)
	if offset < int64(len(e.data)) {
		copy(p, e.data[offset:])
	}
	return len(p), nil
}

func TestReadSegmentsOfMemory(t *testing.T) {
	path := staticSleep(t, t.TempDir())
	cmd := exec.Command(path)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { in.Close(); _ = cmd.Wait() }()
	memory, err := image.OpenMemory(cmd.Process.Pid)
	require.NoError(t, err)
	defer memory.Close()
	maps, err := image.OpenMaps(cmd.Process.Pid)
	require.NoError(t, err)
	for _, m := range maps {
		if m.Path == path && m.Offset == 0 {
			at := io.NewSectionReader(memory, int64(m.Start), int64(m.End-m.Start))
			f, err := image.ReadSegments(at)
			require.NoError(t, err)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			file, err := image.ReadELF(bytes.NewReader(data), int64(len(data)))
			require.NoError(t, err)
			require.Len(t, f.Progs, len(file.Progs))
			require.NotEmpty(t, image.BuildID(file))
			assert.Equal(t, image.BuildID(file), image.BuildIDInMemory(f, at))
			assert.Empty(t, f.Sections)
			return
		}
	}
	require.FailNow(t, "the program is not mapped")
}

func FuzzReadELF(f *testing.F) {
	f.Add(hostileNames(3, 10, 0))
	f.Add(hostileNames(3, 10, elf.SHF_COMPRESSED))
	f.Add(writeELF(elf.ELFCLASS32, binary.BigEndian))
	f.Add(writeELF(elf.ELFCLASS64, binary.LittleEndian))
	if data, err := os.ReadFile("/bin/true"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := image.ReadELF(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			require.Nil(t, file)
			require.NotContains(t, err.Error(), "panic")
			return
		}
		require.LessOrEqual(t, 64*len(file.Sections), 64*len(data))
		for _, s := range file.Sections {
			require.LessOrEqual(t, len(s.Name), 128)
			if contents, err := s.Bytes(1 << 20); err == nil {
				require.LessOrEqual(t, len(contents), 1<<20)
				require.True(t, s.Compressed() || uint64(len(contents)) == s.FileSize)
			}
		}
		require.LessOrEqual(t, len(image.BuildID(file)), 128)
	})
}
