// SPDX-License-Identifier: Apache-2.0

package image

import "debug/elf"

// VirtualAddress returns the address that the linker gave to the byte at offset of
// an ELF file. It is what symbols and unwind rules speak of, whether the program is
// position-independent or not, so no load bias is ever needed. Segments with code
// are preferred where two share a byte of the file.
func VirtualAddress(segments []*elf.Prog, offset uint64) (uint64, bool) {
	address, found := uint64(0), false
	for _, p := range segments {
		if p.Type != elf.PT_LOAD || offset < p.Off || offset-p.Off >= p.Filesz {
			continue
		}
		if p.Flags&elf.PF_X != 0 {
			return offset - p.Off + p.Vaddr, true
		}
		if !found {
			address, found = offset-p.Off+p.Vaddr, true
		}
	}
	return address, found
}

// FileOffset returns where in the file the byte with a link-time address lies, and how
// many follow it in its segment, itself included.
func FileOffset(segments []*elf.Prog, address uint64) (offset, rest uint64, ok bool) {
	for _, p := range segments {
		if p.Type == elf.PT_LOAD && address-p.Vaddr < p.Filesz {
			into := address - p.Vaddr
			return p.Off + into, p.Filesz - into, p.Off+into >= into
		}
	}
	return 0, 0, false
}
