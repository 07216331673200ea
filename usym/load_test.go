// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

type panicking struct{}

func (panicking) ReadAt([]byte, int64) (int, error) { panic("hostile") }

// functionAt is the symbol at a file offset.
func functionAt(m *module, offset uint64) string {
	places := m.at(offset)
	if len(places) == 0 {
		return ""
	}
	return places[len(places)-1].function.text
}

func TestReadModuleContainsPanics(t *testing.T) {
	m, err := readModule(panicking{}, 1<<20, nil, origin{})
	require.ErrorContains(t, err, "hostile")
	assert.Nil(t, m)
	assert.Empty(t, m.at(0))
}

func TestReadModuleOfNoELF(t *testing.T) {
	m, err := readModule(bytes.NewReader([]byte("#!/bin/sh\n")), 10, nil, origin{})
	require.ErrorContains(t, err, "read ELF headers")
	assert.Nil(t, m)
}

// manySymbols is an ELF file with a code segment at 0x1000 and a symbol table that
// claims to have count functions; rest of them are given by fill.
func manySymbols(count uint64, symbols []elf.Sym64, text []byte) []byte {
	const headers = 64 + 56 + 3*64
	var out bytes.Buffer
	write := func(v any) { _ = binary.Write(&out, binary.LittleEndian, v) }
	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1,
		Phoff: 64, Phentsize: 56, Phnum: 1, Shoff: 64 + 56, Shentsize: 64, Shnum: 3, Shstrndx: 2,
	}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	write(h)
	write(elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_X), Off: 0x1000, Vaddr: 0x1000, Filesz: 1 << 40, Memsz: 1 << 40})
	write(elf.Section64{})
	write(elf.Section64{Type: uint32(elf.SHT_SYMTAB), Link: 2, Off: headers, Size: count * elf.Sym64Size})
	write(elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: headers + uint64(len(symbols))*elf.Sym64Size, Size: uint64(len(text))})
	write(symbols)
	out.Write(text)
	return out.Bytes()
}

// A table that lies about its size, or has ten million entries, costs little and
// names nothing.
func TestReadModuleOfTooManySymbols(t *testing.T) {
	small := manySymbols(1<<50, []elf.Sym64{{}}, []byte("\x00f\x00"))
	m, err := readModule(bytes.NewReader(small), int64(len(small)), nil, origin{})
	require.ErrorIs(t, err, image.ErrTooLarge)
	require.NotNil(t, m, "the rest is of use")
	assert.Empty(t, m.functions.symbols)

	many := make([]elf.Sym64, maxKept+1)
	for i := range many {
		many[i] = elf.Sym64{Name: 1, Info: byte(elf.STT_FUNC), Shndx: 1, Value: 0x1000 + uint64(i), Size: 1}
	}
	data := manySymbols(uint64(len(many)), many, []byte("\x00f\x00"))
	_, err = readModule(bytes.NewReader(data), int64(len(data)), nil, origin{})
	require.ErrorIs(t, err, image.ErrTooLarge)
	data = manySymbols(maxKept, many[:maxKept], []byte("\x00f\x00"))
	m, err = readModule(bytes.NewReader(data), int64(len(data)), nil, origin{})
	require.NoError(t, err)
	assert.Equal(t, "f", functionAt(m, 0x1000+maxKept-1))
	assert.LessOrEqual(t, m.bytes(), int64(25<<20))
}

// Long names that all symbols share, at one address, cost little time.
func TestReadModuleOfManyAliases(t *testing.T) {
	many := make([]elf.Sym64, maxKept/2)
	for i := range many {
		many[i] = elf.Sym64{Name: 1, Info: byte(elf.STT_FUNC), Shndx: 1, Value: 0x1000 + uint64(i/maxAliases), Size: 1}
	}
	name := append(bytes.Repeat([]byte("n"), maxName), 0)
	data := manySymbols(uint64(len(many)), many, append([]byte{0}, name...))
	begin := time.Now()
	m, err := readModule(bytes.NewReader(data), int64(len(data)), nil, origin{})
	require.NoError(t, err)
	assert.Len(t, m.functions.symbols, len(many)/maxAliases)
	assert.Less(t, time.Since(begin), 10*time.Second)
}

// Of a large table of names none is kept: they are read when they are needed.
func TestReadModuleOfManyNames(t *testing.T) {
	names := make([]byte, maxKeptNames, maxKeptNames+8)
	names = append(names, "first\x00"...)
	symbols := []elf.Sym64{{}, {Name: maxKeptNames, Info: byte(elf.STT_FUNC), Shndx: 1, Value: 0x1000, Size: 16}}
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, manySymbols(2, symbols, names), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	info, err := file.Stat()
	require.NoError(t, err)
	m, err := readModule(file, info.Size(), file, origin{})
	require.NoError(t, err)
	assert.Equal(t, []*os.File{file}, m.files)
	assert.Equal(t, "first", functionAt(m, 0x1000))
	assert.Less(t, m.bytes(), int64(2*fileCost))
	m.close()
	_, err = file.Stat()
	require.ErrorIs(t, err, os.ErrClosed)
}

func TestReadModuleOfASectionPastTheEnd(t *testing.T) {
	symbols := []elf.Sym64{{}, {Name: 1, Info: byte(elf.STT_FUNC), Shndx: 1, Value: 0x1000, Size: 16}}
	data := manySymbols(1000, symbols, []byte("\x00f\x00"))
	m, err := readModule(bytes.NewReader(data), int64(len(data)), nil, origin{})
	require.NoError(t, err)
	assert.Equal(t, "f", functionAt(m, 0x100f), "what there is, is read")
	assert.Empty(t, functionAt(m, 0x1010))
}

// Symbols of large libraries take little memory.
func TestMemoryOfLargeLibraries(t *testing.T) {
	found := false
	for _, pattern := range []string{"/usr/lib/x86_64-linux-gnu/libLLVM*.so*", "/usr/lib/jvm/*/lib/server/libjvm.so"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			found = true
			file, err := os.Open(path)
			require.NoError(t, err)
			info, err := file.Stat()
			require.NoError(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, err := readModule(file, info.Size(), file, origin{pid: os.Getpid(), path: path})
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			allocated := after.TotalAlloc - before.TotalAlloc
			t.Logf("%s: %d functions, %d variables, %d bytes kept, %d allocated in all",
				filepath.Base(path), len(m.functions.symbols), len(m.variables.symbols), m.bytes(), allocated)
			assert.Greater(t, len(m.functions.symbols), 10_000)
			assert.Less(t, m.bytes(), int64(25<<20))
			assert.Less(t, allocated, uint64(60<<20), "and so the peak is less")
			m.close()
			file.Close()
		}
	}
	if !found {
		t.Skip("no large library here")
	}
}

func FuzzTable(f *testing.F) {
	for _, path := range []string{"/bin/true", "/bin/sleep"} {
		if data, err := os.ReadFile(path); err == nil {
			f.Add(data, uint64(0x2000))
		}
	}
	f.Add(manySymbols(2, []elf.Sym64{{}, {Name: 1, Info: byte(elf.STT_FUNC), Shndx: 1, Value: 0x1000, Size: 16}}, []byte("\x00f\x00")), uint64(0x1008))
	f.Add(manySymbols(1<<60, []elf.Sym64{{}}, []byte("\x00")), uint64(0x1008))
	f.Fuzz(func(t *testing.T, data []byte, offset uint64) {
		m, err := readModule(bytes.NewReader(data), int64(len(data)), nil, origin{})
		if err != nil {
			require.NotContains(t, err.Error(), "panic")
		}
		if m == nil {
			require.Error(t, err)
			return
		}
		require.LessOrEqual(t, m.bytes(), int64(moduleCost+len(data)*64+maxExpanded))
		for _, table := range []*table{&m.functions, &m.variables} {
			for i, s := range table.symbols {
				require.True(t, i == 0 || table.symbols[i-1].start < s.start, "one symbol at each address")
				found, ok := table.find(s.start)
				require.Equal(t, s.size > 0, ok && found.start == s.start, "a symbol has its first byte")
			}
		}
		require.LessOrEqual(t, len(functionAt(m, offset)), maxName)
		if n, within, ok := m.variable(offset); ok {
			require.NotEmpty(t, n.text)
			s, ok := m.variables.find(offset)
			require.True(t, ok)
			require.Less(t, within, uint64(s.size))
		}
	})
}
