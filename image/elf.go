// SPDX-License-Identifier: Apache-2.0

package image

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"math"
)

var (
	// ErrNotELF is wrapped by errors about files of another kind.
	ErrNotELF = errors.New("not an ELF file")
	// ErrTooLarge is wrapped by errors about what exceeds a bound.
	ErrTooLarge = errors.New("too large")
)

// ELF is the outline of an ELF file of either class and byte order. It is read here and
// not by debug/elf because that refuses a file for one bad header, trusts it in the
// number and size of sections, and copies the name of each, so that a small file with
// one long name takes gigabytes.
type ELF struct {
	elf.FileHeader
	Progs    []*elf.Prog // headers only: nothing can be read from them
	Sections []*Section
	// Damage says which table cannot be read: of the segments, of the sections, or of
	// the names of sections. What it had to say is missing above. Nil if there is all
	// that the file claims to have.
	Damage error

	io.ReaderAt // the file, no further than its size
	size        uint64
}

// ReadELF reads the headers of an ELF file of the given size. It fails only where the
// first of them is none: see ELF.Damage.
func ReadELF(r io.ReaderAt, size int64) (*ELF, error) {
	f, header, err := readHeader(r, size)
	if err != nil {
		return nil, fmt.Errorf("read ELF headers: %w", err)
	}
	if err := f.readSegments(header); err != nil {
		f.Damage = fmt.Errorf("read ELF segments: %w", err)
	}
	if err := f.readSections(header); err != nil {
		f.Damage = errors.Join(f.Damage, fmt.Errorf("read ELF sections: %w", err))
	}
	return f, nil
}

// ReadSegments reads the headers of an ELF file of which only the beginning is there,
// as in the memory of a process. The file has no sections.
func ReadSegments(r io.ReaderAt) (*ELF, error) {
	f, header, err := readHeader(r, math.MaxInt64)
	if err == nil {
		err = f.readSegments(header)
	}
	if err != nil {
		return nil, fmt.Errorf("read ELF segments: %w", err)
	}
	return f, nil
}

// Section returns the first section of a name that has bytes in the file, nil if there
// is none.
func (f *ELF) Section(name string) *Section {
	for _, s := range f.Sections {
		if s.Name == name && s.Type != elf.SHT_NOBITS && s.Type != elf.SHT_NULL {
			return s
		}
	}
	return nil
}

// SectionByType returns the first section of a type, nil if there is none.
func (f *ELF) SectionByType(kind elf.SectionType) *Section {
	for _, s := range f.Sections {
		if s.Type == kind {
			return s
		}
	}
	return nil
}

// Range returns n bytes at an offset of the file, or an error that wraps ErrTooLarge
// if they are more than most. Nothing is allocated for bytes that the file does not
// have, whatever its size was said to be.
func (f *ELF) Range(offset, n, most uint64) ([]byte, error) {
	switch {
	case n > most:
		return nil, fmt.Errorf("%d bytes: %w", n, ErrTooLarge)
	case n == 0:
		return nil, nil
	}
	if err := f.has(offset, n); err != nil {
		return nil, err
	}
	var last [1]byte
	if err := readFull(f, last[:], offset+n-1); err != nil {
		return nil, err
	}
	data := make([]byte, n)
	return data, readFull(f, data, offset)
}

// has returns an error if the file is too short for n bytes at an offset.
func (f *ELF) has(offset, n uint64) error {
	if offset > f.size || n > f.size-offset {
		return fmt.Errorf("%d bytes at offset %d of a file of %d: %w", n, offset, f.size, io.ErrUnexpectedEOF)
	}
	return nil
}

func readFull(r io.ReaderAt, data []byte, offset uint64) error {
	n, err := r.ReadAt(data, int64(offset))
	if n == len(data) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading %d bytes at offset %d: %w", len(data), offset, err)
}
