// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// elfFile is the outline of an ELF file. It is read here and not by debug/elf because
// that refuses a file for faults that do not concern us, and trusts it in the number
// and size of sections.
type elfFile struct {
	r        io.ReaderAt
	size     uint64
	sections []elf.Section64 // none where they are stripped or cannot be read
	progs    []elf.Prog64
	names    uint64 // offset in the file of the names of sections
}

const (
	headerBytes  = 64
	sectionBytes = 64
	progBytes    = 56
	maxHeaders   = 1 << 12 // of each kind
)

func openELF(r io.ReaderAt, size int64) (*elfFile, error) {
	f := &elfFile{r: r, size: uint64(max(size, 0))}
	raw, err := f.read(0, headerBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	var h elf.Header64
	if _, err := binary.Decode(raw, binary.LittleEndian, &h); err != nil {
		return nil, fmt.Errorf("decoding the ELF header: %w", err)
	}
	if !isProgram(&h) {
		return nil, ErrUnsupported
	}
	if h.Phentsize == progBytes {
		f.progs, _ = readHeaders[elf.Prog64](f, h.Phoff, uint64(h.Phnum), progBytes)
	}
	if h.Shentsize == sectionBytes {
		f.sections, _ = readHeaders[elf.Section64](f, h.Shoff, uint64(h.Shnum), sectionBytes)
	}
	if int(h.Shstrndx) < len(f.sections) {
		f.names = f.sections[h.Shstrndx].Off
	}
	return f, nil
}

func isProgram(h *elf.Header64) bool {
	return string(h.Ident[:len(elf.ELFMAG)]) == elf.ELFMAG &&
		elf.Class(h.Ident[elf.EI_CLASS]) == elf.ELFCLASS64 &&
		elf.Data(h.Ident[elf.EI_DATA]) == elf.ELFDATA2LSB &&
		elf.Machine(h.Machine) == elf.EM_X86_64 &&
		(elf.Type(h.Type) == elf.ET_EXEC || elf.Type(h.Type) == elf.ET_DYN)
}

func readHeaders[T any](f *elfFile, offset, count, size uint64) ([]T, error) {
	if count > maxHeaders {
		return nil, errTooLarge
	}
	raw, err := f.read(offset, count*size)
	if err != nil {
		return nil, err
	}
	headers := make([]T, count)
	_, err = binary.Decode(raw, binary.LittleEndian, headers)
	return headers, err
}

// read reads n bytes, maxSection at most. Nothing is allocated for bytes that the file
// does not have, whatever its size was said to be.
func (f *elfFile) read(offset, n uint64) ([]byte, error) {
	switch {
	case n > maxSection:
		return nil, fmt.Errorf("%d bytes: %w", n, errTooLarge)
	case n == 0:
		return nil, nil
	case offset > f.size || n > f.size-offset:
		return nil, fmt.Errorf("%d bytes at offset %d of a file of %d: %w", n, offset, f.size, io.ErrUnexpectedEOF)
	}
	var last [1]byte
	if err := f.readFull(last[:], offset+n-1); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	return b, f.readFull(b, offset)
}

func (f *elfFile) readFull(b []byte, offset uint64) error {
	n, err := f.r.ReadAt(b, int64(offset))
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading %d bytes at offset %d: %w", len(b), offset, err)
}

// section returns the first section of the name that has bytes in the file.
func (f *elfFile) section(name string) (elf.Section64, bool) {
	want := append([]byte(name), 0)
	got := make([]byte, len(want))
	for _, s := range f.sections {
		if t := elf.SectionType(s.Type); t == elf.SHT_NOBITS || t == elf.SHT_NULL {
			continue
		}
		if f.readFull(got, f.names+uint64(s.Name)) == nil && bytes.Equal(got, want) {
			return s, true
		}
	}
	return elf.Section64{}, false
}

// segment returns the first program header of a type that has all of the flags.
func (f *elfFile) segment(kind elf.ProgType, flags elf.ProgFlag) (elf.Prog64, bool) {
	for _, p := range f.progs {
		if elf.ProgType(p.Type) == kind && elf.ProgFlag(p.Flags)&flags == flags {
			return p, true
		}
	}
	return elf.Prog64{}, false
}

// locate returns where in the file the byte with a link-time address lies, and how
// many follow it in its segment.
func (f *elfFile) locate(vaddr uint64) (offset, rest uint64, ok bool) {
	for _, p := range f.progs {
		if elf.ProgType(p.Type) == elf.PT_LOAD && vaddr-p.Vaddr < p.Filesz {
			into := vaddr - p.Vaddr
			return p.Off + into, p.Filesz - into, p.Off+into >= into
		}
	}
	return 0, 0, false
}
