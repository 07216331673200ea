// SPDX-License-Identifier: Apache-2.0

package image

import (
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"io"
)

// Bounds of what is read of notes. A linker makes ids of 8 to 20 bytes and takes any
// from its command line.
const (
	maxNotes   = 64 << 10 // bytes of a segment or section
	maxBuildID = 64
)

// BuildID returns the id that the linker gave to a file, in hexadecimal, "" if it gave
// none. A file and what was stripped from it have the same.
func BuildID(f *ELF) string {
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOTE && !s.Compressed() {
			if id := buildIDIn(s, int64(s.FileSize), f.ByteOrder, s.Addralign); id != "" {
				return id
			}
		}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE {
			notes := io.NewSectionReader(f, int64(p.Off), int64(min(p.Filesz, maxNotes)))
			if id := buildIDIn(notes, notes.Size(), f.ByteOrder, p.Align); id != "" {
				return id
			}
		}
	}
	return ""
}

// BuildIDInMemory returns the id of a file that is mapped: f is its ReadSegments of
// memory that was read from where the file begins.
func BuildIDInMemory(f *ELF, memory io.ReaderAt) string {
	first, ok := firstLoad(f)
	if !ok {
		return ""
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || p.Vaddr < first.Vaddr-first.Off {
			continue
		}
		at := p.Vaddr - (first.Vaddr - first.Off)
		notes := io.NewSectionReader(memory, int64(at), int64(min(p.Filesz, maxNotes)))
		if id := buildIDIn(notes, notes.Size(), f.ByteOrder, p.Align); id != "" {
			return id
		}
	}
	return ""
}

func firstLoad(f *ELF) (elf.ProgHeader, bool) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			return p.ProgHeader, true
		}
	}
	return elf.ProgHeader{}, false
}

func buildIDIn(r io.ReaderAt, size int64, order binary.ByteOrder, align uint64) string {
	data := make([]byte, min(max(size, 0), maxNotes))
	n, err := r.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return ""
	}
	return parseBuildID(data[:n], order, align)
}

// parseBuildID looks through notes for the one of type NT_GNU_BUILD_ID. Each is three
// words (length of the name, length of the contents, type), the name, the contents;
// both are filled up to the alignment, 4 but for segments that state 8.
func parseBuildID(data []byte, order binary.ByteOrder, align uint64) string {
	const buildID = 3
	if align != 8 {
		align = 4
	}
	filled := func(n uint32) uint64 { return (uint64(n) + align - 1) &^ (align - 1) }
	for len(data) >= 12 {
		nameSize, size, kind := order.Uint32(data), order.Uint32(data[4:]), order.Uint32(data[8:])
		// The name begins after the words, which are not filled up.
		from := 12 + filled(nameSize)
		if align == 8 {
			from = filled(12 + min(nameSize, 1<<30))
		}
		to := from + uint64(size)
		if to > uint64(len(data)) {
			return ""
		}
		if kind == buildID && nameSize == 4 && string(data[12:16]) == "GNU\x00" && size > 0 && size <= maxBuildID {
			return hex.EncodeToString(data[from:to])
		}
		next := from + filled(size)
		if next > uint64(len(data)) {
			return ""
		}
		data = data[next:]
	}
	return ""
}
