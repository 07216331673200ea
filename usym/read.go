// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// What is larger than this is not read.
const (
	maxFileSize = 512 << 20
	maxSymbols  = 2 << 20
	maxNames    = 256 << 20
)

var errTooLarge = errors.New("too large")

// readTable reads the symbols of an ELF file of the given size, nil with an error if
// there are none to be had.
func readTable(r io.ReaderAt, size int64) (t *table, err error) {
	// debug/elf is not proof against every file.
	defer func() {
		if p := recover(); p != nil {
			t, err = nil, fmt.Errorf("reading ELF symbols: panic: %v", p)
		}
	}()
	if size > maxFileSize {
		return nil, fmt.Errorf("file of %d bytes: %w", size, errTooLarge)
	}
	f, err := elf.NewFile(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, fmt.Errorf("reading ELF: %w", err)
	}
	t = &table{segments: loaded(f.Progs)}
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		if err := t.addSection(f, f.SectionByType(kind)); err != nil {
			return nil, fmt.Errorf("reading %v: %w", kind, err)
		}
	}
	t.index()
	t.bound(f.Sections)
	return t, nil
}

func loaded(progs []*elf.Prog) []*elf.Prog {
	return slices.DeleteFunc(slices.Clone(progs), func(p *elf.Prog) bool { return p.Type != elf.PT_LOAD })
}

// addSection appends the functions of a symbol section, which may be nil.
func (t *table) addSection(f *elf.File, section *elf.Section) error {
	if section == nil || section.Type == elf.SHT_NOBITS {
		return nil
	}
	if section.Link == 0 || int64(section.Link) >= int64(len(f.Sections)) {
		return errors.New("no string table")
	}
	names := f.Sections[section.Link]
	if section.Size > maxSymbols*elf.Sym64Size || names.Size > maxNames || len(t.names) > maxNames {
		return errTooLarge
	}
	data, err := section.Data()
	if err != nil {
		return err
	}
	text, err := names.Data()
	if err != nil {
		return err
	}
	base := uint64(len(t.names))
	t.names += string(text)
	for s := range symbolsOf(f, data) {
		if s.section == elf.SHN_UNDEF || !s.isFunction() || uint64(s.name) >= uint64(len(text)) {
			continue
		}
		if base+uint64(s.name) > math.MaxUint32 {
			return errTooLarge
		}
		t.symbols = append(t.symbols, symbol{
			start: s.value, size: s.size, name: uint32(base) + s.name, binding: elf.ST_BIND(s.info),
		})
	}
	return nil
}

// bound gives symbols without a size, which are written in assembly, the room up to
// the next one, but not past the end of their section.
func (t *table) bound(sections []*elf.Section) {
	for i := range t.symbols {
		s := &t.symbols[i]
		if s.size != 0 {
			continue
		}
		s.size = sectionEnd(sections, s.start) - s.start
		if i+1 < len(t.symbols) {
			s.size = min(s.size, t.symbols[i+1].start-s.start)
		}
	}
}

// sectionEnd returns where the code section that contains address ends, address
// itself if there is none.
func sectionEnd(sections []*elf.Section, address uint64) uint64 {
	for _, s := range sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Addr <= address && address-s.Addr < s.Size {
			return s.Addr + s.Size
		}
	}
	return address
}
