// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"errors"
	"fmt"

	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/image/gopcln"
)

var errNoGoText = errors.New("where Go's code begins is not known")

// goTextWord is the place of the address of runtime.text in the runtime's moduledata,
// in words, since Go 1.20: the header, the slices of six tables, findfunctab, minpc and
// maxpc are before it. The first word is the address of the function table.
const goTextWord = 22

// goText returns the address of runtime.text, from which the table counts functions.
// It is not where .text begins in a program with C code in it. Until Go 1.25 the
// table's header has it, from 1.26 on moduledata in a section of its own; in a program
// that does not depend on its place both are relocated.
func goText(f *image.ELF, table *image.Section, h gopcln.Header) (uint64, error) {
	if h.TextStart != 0 {
		return h.TextStart, nil
	}
	wanted := map[uint64]uint64{}
	header := table.Addr + 8 + 2*uint64(h.Pointer)
	wanted[header] = 0
	module := f.Section(".go.module")
	if plain(module) {
		wanted[module.Addr], wanted[module.Addr+goTextWord*uint64(h.Pointer)] = 0, 0
		readWords(f, module, h.Pointer, wanted)
	}
	if err := relocated(f, wanted); err != nil {
		return 0, err
	}
	if text := wanted[header]; text != 0 {
		return text, nil
	}
	if module != nil && wanted[module.Addr] == table.Addr {
		if text := wanted[module.Addr+goTextWord*uint64(h.Pointer)]; text != 0 {
			return text, nil
		}
	}
	return 0, errNoGoText
}

// readWords fills in the words of a section by their addresses.
func readWords(f *image.ELF, s *image.Section, size int64, words map[uint64]uint64) {
	b := make([]byte, 8)
	for address := range words {
		if address < s.Addr || address-s.Addr >= s.Size {
			continue
		}
		if _, err := s.ReadAt(b[:size], int64(address-s.Addr)); err != nil {
			continue
		}
		if size == 4 {
			words[address] = uint64(f.ByteOrder.Uint32(b))
		} else {
			words[address] = f.ByteOrder.Uint64(b)
		}
	}
}

// relocated fills in the words, given by their addresses, that the dynamic linker will
// set to a place in the file itself.
func relocated(f *image.ELF, words map[uint64]uint64) error {
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return nil
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || !plain(s) || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		err := walkRelocations(f, s, func(r relocation) error {
			if _, ok := words[r.offset]; ok && r.kind == elf.R_X86_64_RELATIVE {
				words[r.offset] = r.addend
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}
