// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

// stripped compiles the program with a build id made of the test's name and moves its
// symbols to a debug file beside it.
func stripped(t *testing.T, flags ...string) (path, debug string) {
	t.Helper()
	path = build(t, append([]string{"-Wl,--build-id=0x" + hex.EncodeToString([]byte(t.Name()))[:16]}, flags...)...)
	debug = path + ".debug"
	tool(t, "objcopy", "--only-keep-debug", path, debug)
	tool(t, "objcopy", "--strip-all", path)
	return path, debug
}

func link(t *testing.T, path, debug string) {
	t.Helper()
	tool(t, "objcopy", "--add-gnu-debuglink="+debug, path)
}

func functionOf(t *testing.T, path string) string {
	t.Helper()
	p := start(t, path)
	frame := New().Frame(Process{PID: p.pid}, p.local)
	assert.Equal(t, "program", frame.Module)
	return frame.Function
}

func TestDebugFileByLink(t *testing.T) {
	t.Run("beside", func(t *testing.T) {
		path, debug := stripped(t)
		link(t, path, debug)
		assert.Equal(t, "local_function", functionOf(t, path))
	})
	t.Run("in .debug", func(t *testing.T) {
		path, debug := stripped(t)
		link(t, path, debug)
		folder := filepath.Join(filepath.Dir(path), ".debug")
		require.NoError(t, os.Mkdir(folder, 0o700))
		require.NoError(t, os.Rename(debug, filepath.Join(folder, filepath.Base(debug))))
		assert.Equal(t, "local_function", functionOf(t, path))
	})
	t.Run("without build ids", func(t *testing.T) {
		path, debug := stripped(t, "-Wl,--build-id=none")
		link(t, path, debug)
		assert.Equal(t, "local_function", functionOf(t, path))
	})
	t.Run("no link", func(t *testing.T) {
		path, _ := stripped(t)
		assert.Empty(t, functionOf(t, path))
	})
	t.Run("another checksum", func(t *testing.T) {
		path, debug := stripped(t)
		link(t, path, debug)
		data, err := os.ReadFile(debug)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(debug, append(data, 0), 0o600))
		assert.Empty(t, functionOf(t, path))
	})
	t.Run("another build id", func(t *testing.T) {
		path, _ := stripped(t)
		_, other := stripped(t, "-Wl,--build-id=0x12345678")
		moved := path + ".debug"
		require.NoError(t, os.Rename(other, moved))
		link(t, path, moved)
		assert.Empty(t, functionOf(t, path))
	})
	t.Run("another of the same kind names the program itself", func(t *testing.T) {
		path, debug := stripped(t)
		link(t, path, debug)
		require.NoError(t, os.Remove(debug))
		require.NoError(t, os.Link(path, debug))
		assert.Empty(t, functionOf(t, path))
	})
}

// A program that was prelinked after its symbols were stripped has other addresses
// than its debug file.
func TestDebugFileOfAMovedProgram(t *testing.T) {
	path, debug := stripped(t, "-fPIE", "-pie", "-Wl,--build-id=0x1234567890")
	tool(t, "objcopy", "--change-addresses=0x40000", debug)
	// objcopy moves sections and symbols; segments without bytes stay.
	if firstSegment(t, debug) == 0 {
		moveSegments(t, debug, 0x40000)
	}
	require.Equal(t, uint64(0x40000), firstSegment(t, debug))
	require.Zero(t, firstSegment(t, path))
	link(t, path, debug)
	assert.Equal(t, "local_function", functionOf(t, path))
}

func firstSegment(t *testing.T, path string) uint64 {
	t.Helper()
	f, err := elf.Open(path)
	require.NoError(t, err)
	defer f.Close()
	return loaded(f.Progs)[0].Vaddr
}

// moveSegments adds to the addresses of all segments of a 64-bit file.
func moveSegments(t *testing.T, path string, by uint64) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var h elf.Header64
	require.NoError(t, binary.Read(bytes.NewReader(data), binary.LittleEndian, &h))
	for i := range int(h.Phnum) {
		at := data[int(h.Phoff)+i*int(h.Phentsize)+16:]
		binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)+by)
	}
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

func TestDebugFilesOfTheDistribution(t *testing.T) {
	// Libraries whose debug package is installed, of which there need not be any.
	paths, err := filepath.Glob("/usr/lib/x86_64-linux-gnu/lib*.so.*")
	require.NoError(t, err)
	found := 0
	for _, path := range paths {
		file, err := os.Open(path)
		require.NoError(t, err)
		info, err := file.Stat()
		require.NoError(t, err)
		f, err := image.ReadELF(file, info.Size())
		if err == nil && f.SectionByType(elf.SHT_SYMTAB) == nil {
			debug, err := findDebugFile(object{ELF: f, r: file, size: info.Size(), file: file}, origin{pid: os.Getpid(), path: path})
			if err == nil && debug.file != nil {
				found++
				assert.Equal(t, image.BuildID(f), image.BuildID(debug.ELF))
				debug.file.Close()
			}
		}
		file.Close()
	}
	t.Logf("%d of %d libraries have a debug file", found, len(paths))
}

func linkBytes(name string, sum uint32) []byte {
	data := append([]byte(name), 0)
	for len(data)%4 != 0 {
		data = append(data, 0)
	}
	return binary.LittleEndian.AppendUint32(data, sum)
}

var little = &image.ELF{FileHeader: elf.FileHeader{ByteOrder: binary.LittleEndian}}

func TestParseDebugLink(t *testing.T) {
	for _, name := range []string{"a", "abc", "abcd", "program.debug"} {
		got, err := parseDebugLink(little, linkBytes(name, 0xabcd))
		require.NoError(t, err)
		assert.Equal(t, debugLink{name: name, checksum: 0xabcd}, got)
	}
	for _, name := range []string{"", ".", "..", "../x", "/etc/passwd"} {
		_, err := parseDebugLink(little, linkBytes(name, 1))
		require.ErrorIs(t, err, errNoLink, name)
	}
	_, err := parseDebugLink(little, linkBytes("abc", 1)[:7])
	require.ErrorIs(t, err, errNoLink)
}

func TestChecksum(t *testing.T) {
	text := "some contents"
	l := debugLink{checksum: crc32.ChecksumIEEE([]byte(text))}
	require.NoError(t, l.check(strings.NewReader(text), int64(len(text))))
	require.Error(t, l.check(strings.NewReader(text+"x"), int64(len(text)+1)))
}

func FuzzDebugLink(f *testing.F) {
	f.Add(linkBytes("program.debug", 7))
	f.Add(linkBytes("../x", 7))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseDebugLink(little, data)
		if err != nil {
			return
		}
		require.Equal(t, filepath.Base(l.name), l.name, "no folder")
		require.NotContains(t, []string{"", ".", ".."}, l.name)
		again, err := parseDebugLink(little, linkBytes(l.name, l.checksum))
		require.NoError(t, err)
		require.Equal(t, l, again)
	})
}
