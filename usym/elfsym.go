// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"

	"github.com/os2026/ebpf-rca/image"
)

// maxEntries bounds the symbol tables that are read, at 96 MiB.
const maxEntries = 4 << 20

// elfSymbol is an Elf32_Sym or Elf64_Sym. The tables are walked here and not by
// elf.File.Symbols because that copies every name, so that a small file with one long
// name used by all symbols takes terabytes.
type elfSymbol struct {
	name        uint32
	info        byte
	section     elf.SectionIndex
	value, size uint64
}

func (s elfSymbol) isFunction() bool {
	kind := elf.ST_TYPE(s.info)
	return s.section != elf.SHN_UNDEF && (kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC)
}

// isVariable reports whether s has bytes of its own in a section that programs write
// to. Thread-local ones have a place in each thread, not in the file.
func (s elfSymbol) isVariable(f *image.ELF) bool {
	switch elf.ST_TYPE(s.info) {
	case elf.STT_OBJECT, elf.STT_COMMON, elf.STT_NOTYPE:
	default:
		return false
	}
	if s.size == 0 || s.section == elf.SHN_UNDEF || int(s.section) >= len(f.Sections) {
		return false
	}
	const want, no = elf.SHF_ALLOC | elf.SHF_WRITE, elf.SHF_TLS | elf.SHF_EXECINSTR
	return f.Sections[s.section].Flags&(want|no) == want
}

// walkSymbols calls visit for each symbol of a section, until it returns an error. A
// section that claims to be longer than the file ends with the file.
func walkSymbols(f *image.ELF, section *image.Section, visit func(elfSymbol) error) error {
	step, decode := int64(elf.Sym64Size), decode64
	if f.Class == elf.ELFCLASS32 {
		step, decode = elf.Sym32Size, decode32
	}
	if section.FileSize > uint64(maxEntries*step) {
		return fmt.Errorf("%d bytes of symbols: %w", section.FileSize, image.ErrTooLarge)
	}
	buffer := make([]byte, 4096*step)
	size := int64(section.FileSize)
	for offset := int64(0); offset < size; offset += int64(len(buffer)) {
		n, err := section.ReadAt(buffer[:min(int64(len(buffer)), size-offset)], offset)
		for data := buffer[:n]; int64(len(data)) >= step; data = data[step:] {
			if err := visit(decode(f, data)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read symbols: %w", err)
		}
	}
	return nil
}

func decode64(f *image.ELF, b []byte) elfSymbol {
	return elfSymbol{
		name:    f.ByteOrder.Uint32(b),
		info:    b[4],
		section: elf.SectionIndex(f.ByteOrder.Uint16(b[6:])),
		value:   f.ByteOrder.Uint64(b[8:]),
		size:    f.ByteOrder.Uint64(b[16:]),
	}
}

func decode32(f *image.ELF, b []byte) elfSymbol {
	return elfSymbol{
		name:    f.ByteOrder.Uint32(b),
		value:   uint64(f.ByteOrder.Uint32(b[4:])),
		size:    uint64(f.ByteOrder.Uint32(b[8:])),
		info:    b[12],
		section: elf.SectionIndex(f.ByteOrder.Uint16(b[14:])),
	}
}

// plain reports whether the bytes of a section stand in the file as they are.
func plain(s *image.Section) bool {
	return s != nil && s.Type != elf.SHT_NOBITS && !s.Compressed()
}

// linked returns the section that s refers to, nil if there is none.
func linked(f *image.ELF, s *image.Section) *image.Section {
	if s.Link == 0 || uint64(s.Link) >= uint64(len(f.Sections)) || !plain(f.Sections[s.Link]) {
		return nil
	}
	return f.Sections[s.Link]
}
