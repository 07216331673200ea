// SPDX-License-Identifier: Apache-2.0

package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Bounds of what is read of an ELF file before any section of it.
const (
	maxHeaders     = 8 << 20 // bytes of the tables of segments and sections
	maxSectionName = 128
)

// headerSize is that of the larger ELF header, of 64 bits.
const headerSize = 64

var errTooLarge = errors.New("too large")

// ReadELF reads the headers of an ELF file of the given size. Against elf.NewFile it
// costs bounded memory whatever the file says: some 40 MB for one that is all
// headers. The bounds are of the headers only; a section may claim any size, and a
// compressed one may expand to any.
func ReadELF(r io.ReaderAt, size int64) (*elf.File, error) {
	headers := &headerReader{r: io.NewSectionReader(r, 0, size), left: maxHeaders, hide: nameIndex}
	f, err := headers.read()
	if err != nil {
		return nil, fmt.Errorf("read ELF headers: %w", err)
	}
	if err := nameSections(f, headers.r); err != nil {
		return nil, fmt.Errorf("read ELF section names: %w", err)
	}
	return f, nil
}

// ReadSegments reads the headers of an ELF file of which only the beginning is there,
// as in the memory of a process. The file has no sections.
func ReadSegments(r io.ReaderAt) (*elf.File, error) {
	headers := &headerReader{r: r, left: maxHeaders, hide: sectionTable}
	f, err := headers.read()
	if err != nil {
		return nil, fmt.Errorf("read ELF segments: %w", err)
	}
	return f, nil
}

// span is a range of bytes of the ELF header.
type span struct{ from, to int64 }

// nameIndex is e_shstrndx. Without it elf.NewFile does not read names, of which it
// makes a copy for each section, however long and however often used.
func nameIndex(class elf.Class) []span {
	if class == elf.ELFCLASS32 {
		return []span{{50, 52}}
	}
	return []span{{62, 64}}
}

// sectionTable is e_shoff, e_shnum and e_shstrndx.
func sectionTable(class elf.Class) []span {
	if class == elf.ELFCLASS32 {
		return []span{{32, 36}, {48, 52}}
	}
	return []span{{40, 48}, {60, 64}}
}

// headerReader shows a file with some bytes of its header as zero, and not more than
// so many bytes in all, until the headers have been read.
type headerReader struct {
	r    io.ReaderAt
	left int
	hide func(elf.Class) []span
	done bool
}

func (h *headerReader) read() (f *elf.File, err error) {
	// debug/elf is not proof against every file.
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	f, err = elf.NewFile(h)
	h.done = true
	return f, err
}

// ReadAt implements io.ReaderAt.
func (h *headerReader) ReadAt(p []byte, offset int64) (int, error) {
	if h.done {
		return h.r.ReadAt(p, offset)
	}
	if h.left -= len(p); h.left < 0 {
		return 0, errTooLarge
	}
	n, err := h.r.ReadAt(p, offset)
	if offset >= headerSize {
		return n, err
	}
	var ident [elf.EI_NIDENT]byte
	if _, err := h.r.ReadAt(ident[:], 0); err != nil {
		return n, err
	}
	for _, s := range h.hide(elf.Class(ident[elf.EI_CLASS])) {
		from, to := max(s.from-offset, 0), min(s.to-offset, int64(n))
		if from < to {
			clear(p[from:to])
		}
	}
	return n, err
}

// nameSections gives the sections of f their names, as far as they have one.
func nameSections(f *elf.File, r io.ReaderAt) error {
	table, err := readSectionTable(f, r)
	if err != nil || len(f.Sections) == 0 {
		return err
	}
	index := uint32(table.names)
	if index == uint32(elf.SHN_XINDEX) {
		index = f.Sections[0].Link
	}
	if index == 0 || int64(index) >= int64(len(f.Sections)) {
		return nil
	}
	text := f.Sections[index]
	if text.Type != elf.SHT_STRTAB || text.Flags&elf.SHF_COMPRESSED != 0 {
		return errors.New("not a table of strings")
	}
	for i, s := range f.Sections {
		s.Name = nameAt(text, f.ByteOrder.Uint32(table.headers[int64(i)*table.step:]))
	}
	return nil
}

func nameAt(text io.ReaderAt, offset uint32) string {
	var name [maxSectionName]byte
	n, _ := text.ReadAt(name[:], int64(offset)) // a short name may be near the end
	return string(name[:max(bytes.IndexByte(name[:n], 0), 0)])
}

// sectionHeaders is the table of section headers as it stands in the file.
type sectionHeaders struct {
	headers []byte
	step    int64
	names   uint16 // e_shstrndx
}

func readSectionTable(f *elf.File, r io.ReaderAt) (sectionHeaders, error) {
	var offset, step int64
	var names uint16
	in := io.NewSectionReader(r, 0, headerSize)
	switch f.Class {
	case elf.ELFCLASS32:
		var h elf.Header32
		if err := binary.Read(in, f.ByteOrder, &h); err != nil {
			return sectionHeaders{}, err
		}
		offset, step, names = int64(h.Shoff), int64(h.Shentsize), h.Shstrndx
	default:
		var h elf.Header64
		if err := binary.Read(in, f.ByteOrder, &h); err != nil {
			return sectionHeaders{}, err
		}
		offset, step, names = int64(h.Shoff), int64(h.Shentsize), h.Shstrndx
	}
	headers := make([]byte, step*int64(len(f.Sections))) // debug/elf read as many, within maxHeaders
	if _, err := r.ReadAt(headers, offset); err != nil && len(headers) > 0 {
		return sectionHeaders{}, err
	}
	return sectionHeaders{headers: headers, step: step, names: names}, nil
}
