// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/elf"
	encoding "encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// le writes numbers as x86-64 has them.
var le = encoding.LittleEndian

// forgery is an ELF file whose sections say what they are made to say. Its segments,
// and so the program that runs, stay as they are.
type forgery struct {
	body     []byte
	header   elf.Header64
	sections []elf.Section64
	names    []byte
	// size is that of the file, if that is larger than what is written: the rest is
	// a hole.
	size int64
}

// forge reads the file that is to be forged.
func forge(t *testing.T, path string) *forgery {
	t.Helper()
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	f := &forgery{body: body}
	decode(t, body, &f.header)
	f.sections = make([]elf.Section64, f.header.Shnum)
	decode(t, body[f.header.Shoff:], f.sections)
	names := f.sections[f.header.Shstrndx]
	f.names = bytes.Clone(body[names.Off:][:names.Size])
	return f
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	_, err := encoding.Decode(data, le, v)
	require.NoError(t, err)
}

// section returns the section of a name, which is added if there is none.
func (f *forgery) section(name string) *elf.Section64 {
	for i := range f.sections {
		at := f.names[f.sections[i].Name:]
		if string(at[:bytes.IndexByte(at, 0)]) == name {
			return &f.sections[i]
		}
	}
	f.sections = append(f.sections, elf.Section64{Name: uint32(len(f.names)), Type: uint32(elf.SHT_PROGBITS)})
	f.names = append(append(f.names, name...), 0)
	return &f.sections[len(f.sections)-1]
}

// index is the number of a section.
func (f *forgery) index(name string) uint32 {
	s := f.section(name)
	return uint32(slices.IndexFunc(f.sections, func(o elf.Section64) bool { return o.Name == s.Name }))
}

// set puts data where a section of the name says it is.
func (f *forgery) set(name string, data []byte) *elf.Section64 {
	s := f.section(name)
	s.Off, s.Size = uint64(len(f.body)), uint64(len(data))
	f.body = append(f.body, data...)
	return s
}

// setHole makes a section of zeros that takes no room on the disk.
func (f *forgery) setHole(name string, size int64) *elf.Section64 {
	const begin = 256 << 20 // behind all that is written
	s := f.section(name)
	s.Off, s.Size = begin, uint64(size)
	f.size = begin + size
	return s
}

// drop makes a section one of no bytes.
func (f *forgery) drop(names ...string) {
	for _, name := range names {
		f.section(name).Type = uint32(elf.SHT_NULL)
	}
}

// write writes the file. The headers of the sections come last, with their names.
func (f *forgery) write(t *testing.T, path string) {
	t.Helper()
	names := f.index(".shstrtab")
	f.set(".shstrtab", f.names)
	f.header.Shoff, f.header.Shnum, f.header.Shstrndx = uint64(len(f.body)), uint16(len(f.sections)), uint16(names)
	f.writeRaw(t, path)
}

// writeRaw writes the file with its header as it is.
func (f *forgery) writeRaw(t *testing.T, path string) {
	t.Helper()
	var header, sections bytes.Buffer
	require.NoError(t, encoding.Write(&header, le, f.header))
	require.NoError(t, encoding.Write(&sections, le, f.sections))
	copy(f.body, header.Bytes())
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	require.NoError(t, err)
	defer out.Close()
	for _, part := range [][]byte{f.body, sections.Bytes()} {
		_, err = out.Write(part)
		require.NoError(t, err)
	}
	if f.size > 0 {
		require.NoError(t, out.Truncate(f.size))
	}
}
