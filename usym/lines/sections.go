// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// sections are the parts of an ELF file that are needed.
type sections struct {
	abbrev, aranges, info, line, ranges, str section
	addr, lineStr, rnglists, strOffsets      section // since DWARF 5

	code     []span // where instructions are, sorted, apart from each other
	big      bool
	inflated uint64 // bytes in memory
}

// partNames are the names of what parts returns.
var partNames = [...]string{
	"abbrev", "aranges", "info", "line", "ranges", "str", "addr", "line_str", "rnglists", "str_offsets",
}

func (s *sections) parts() [len(partNames)]*section {
	return [...]*section{
		&s.abbrev, &s.aranges, &s.info, &s.line, &s.ranges, &s.str, &s.addr, &s.lineStr, &s.rnglists, &s.strOffsets,
	}
}

// named returns the section of a name, nil if it is of no use.
func (s *sections) named(name string) *section {
	if i := slices.Index(partNames[:], name); i >= 0 {
		return s.parts()[i]
	}
	return nil
}

func (s *sections) trim() {
	for _, part := range s.parts() {
		part.trim()
	}
}

// readSections finds the sections of DWARF and inflates those that are compressed.
func readSections(r io.ReaderAt, size int64, work *meter) (*sections, error) {
	f, err := openELF(r, size)
	if err != nil {
		return nil, err
	}
	start, count, names, err := f.header()
	if err != nil {
		return nil, fmt.Errorf("reading header: %w", err)
	}
	if count > maxSections {
		return nil, fmt.Errorf("%d sections: %w", count, ErrTooLarge)
	}
	nameTable, err := f.nameTable(start, count, names)
	if err != nil {
		return nil, fmt.Errorf("reading section names: %w", err)
	}
	s := &sections{big: f.order == binary.BigEndian}
	for i := range count {
		h, err := f.section(start, i)
		if err != nil {
			return nil, fmt.Errorf("reading section headers: %w", err)
		}
		if flags := elf.SectionFlag(h.Flags); flags&elf.SHF_EXECINSTR != 0 && h.Addr+h.Size > h.Addr {
			s.code = append(s.code, span{low: h.Addr, high: h.Addr + h.Size})
		}
		name, old := debugName(nameTable, h.Name)
		part := s.named(name)
		if part == nil || part.size > 0 || h.Size == 0 || elf.SectionType(h.Type) == elf.SHT_NOBITS {
			continue
		}
		*part = section{big: s.big, work: work}
		if err := s.load(f, h, part, old); err != nil {
			return nil, fmt.Errorf("reading .debug_%s: %w", name, err)
		}
	}
	s.code = union(s.code)
	return s, nil
}

// load makes the bytes of a section available in part.
func (s *sections) load(f *elfFile, h elf.Section64, part *section, old bool) error {
	r, err := f.bytes(h)
	if err != nil {
		return err
	}
	var packed *compressed
	switch {
	case old:
		packed, err = oldCompressed(r)
	case elf.SectionFlag(h.Flags)&elf.SHF_COMPRESSED != 0:
		packed, err = f.compressed(r)
	}
	if err != nil {
		return err
	}
	if packed == nil {
		part.file, part.at, part.size = f.ReaderAt, int64(h.Off), h.Size
		return nil
	}
	if packed.size > maxInflated-s.inflated {
		return ErrTooLarge
	}
	if part.data, err = packed.inflate(); err != nil {
		return err
	}
	part.size = packed.size
	s.inflated += packed.size
	return nil
}

// holdsCode says whether there are instructions at an address. What the linker has
// dropped keeps its debug information, with addresses at or near zero or all ones.
func (s *sections) holdsCode(address uint64) bool {
	i, exact := slices.BinarySearchFunc(s.code, address, func(c span, address uint64) int {
		switch {
		case address < c.low:
			return 1
		case address >= c.high:
			return -1
		}
		return 0
	})
	return exact && i < len(s.code)
}
