// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/os2026/ebpf-rca/image"
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

var errNoAddresses = errors.New("not an ELF file with addresses")

// readSections finds the sections of DWARF and inflates those that are compressed.
func readSections(r io.ReaderAt, size int64, work *meter) (*sections, error) {
	f, err := image.ReadELF(r, size)
	if err != nil {
		return nil, err
	}
	if f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return nil, errNoAddresses
	}
	if f.Damage != nil {
		return nil, f.Damage
	}
	s := &sections{big: f.Data == elf.ELFDATA2MSB}
	for _, h := range f.Sections {
		if h.Flags&elf.SHF_EXECINSTR != 0 && h.Addr+h.Size > h.Addr {
			s.code = append(s.code, span{low: h.Addr, high: h.Addr + h.Size})
		}
		part := s.named(debugName(h.Name))
		if part == nil || part.size > 0 || h.Size == 0 || h.Type == elf.SHT_NOBITS {
			continue
		}
		*part = section{big: s.big, work: work}
		if err := s.load(h, part, uint64(max(size, 0))); err != nil {
			return nil, fmt.Errorf("reading %s: %w", h.Name, err)
		}
	}
	s.code = union(s.code)
	return s, nil
}

// debugName returns what follows ".debug_" in a name, empty if it has another.
func debugName(name string) string {
	rest, ok := strings.CutPrefix(name, ".debug_")
	if !ok {
		rest, ok = strings.CutPrefix(name, ".zdebug_")
	}
	if !ok {
		return ""
	}
	return rest
}

// load makes the bytes of a section of a file available in part.
func (s *sections) load(h *image.Section, part *section, fileSize uint64) error {
	if !h.Compressed() {
		if h.Offset > fileSize || h.Size > fileSize-h.Offset {
			return io.ErrUnexpectedEOF
		}
		part.file, part.size = h.ReaderAt, h.Size
		return nil
	}
	data, err := h.Bytes(maxInflated - s.inflated)
	if err != nil {
		return err
	}
	part.data, part.size = data, uint64(len(data))
	s.inflated += part.size
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
