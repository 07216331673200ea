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
		assert.Equal(t, s.SectionHeader, got.Sections[i].SectionHeader)
	}
	require.Len(t, got.Progs, len(want.Progs))
	for i, p := range want.Progs {
		assert.Equal(t, p.ProgHeader, got.Progs[i].ProgHeader)
	}
	// The segment that holds the header shows all of it.
	header := make([]byte, 64)
	for _, p := range got.Progs {
		if p.Type == elf.PT_LOAD && p.Off == 0 {
			_, err := p.ReadAt(header, 0)
			require.NoError(t, err)
			assert.Equal(t, data[:64], header)
		}
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
	data := hostileNames(20000, 1<<20, 0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := image.ReadELF(bytes.NewReader(data), int64(len(data)))
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	assert.Len(t, f.Sections, 20000)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
}

func TestReadELFOfACompressedNameTable(t *testing.T) {
	data := hostileNames(3, 100, elf.SHF_COMPRESSED)
	_, err := image.ReadELF(bytes.NewReader(data), int64(len(data)))
	require.ErrorContains(t, err, "not a table of strings")
}

func TestReadELFBoundsTheHeaders(t *testing.T) {
	data := hostileNames(3, 100, 0)
	binary.LittleEndian.PutUint16(data[60:], 0) // the number of sections is in section 0
	binary.LittleEndian.PutUint64(data[64+32:], 1<<30)
	_, err := image.ReadELF(endless{data}, 1<<40)
	require.ErrorContains(t, err, "too large")
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
			file, err := elf.Open(path)
			require.NoError(t, err)
			defer file.Close()
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
		}
		require.LessOrEqual(t, len(image.BuildID(file)), 128)
	})
}
