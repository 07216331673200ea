// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"debug/elf"
	"fmt"
	"io"

	"github.com/os2026/ebpf-rca/image"
)

// elfFile is an ELF file of a kind that there are rules for. What is damaged in it is
// done without.
type elfFile struct{ *image.ELF }

func openELF(r io.ReaderAt, size int64) (*elfFile, error) {
	f, err := image.ReadELF(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if !isProgram(f) {
		return nil, ErrUnsupported
	}
	return &elfFile{f}, nil
}

func isProgram(f *image.ELF) bool {
	return f.Class == elf.ELFCLASS64 && f.Data == elf.ELFDATA2LSB && f.Machine == elf.EM_X86_64 &&
		(f.Type == elf.ET_EXEC || f.Type == elf.ET_DYN)
}

// read reads n bytes, maxSection at most.
func (f *elfFile) read(offset, n uint64) ([]byte, error) { return f.Range(offset, n, maxSection) }

// segment returns the first program header of a type that has all of the flags, nil if
// there is none.
func (f *elfFile) segment(kind elf.ProgType, flags elf.ProgFlag) *elf.Prog {
	for _, p := range f.Progs {
		if p.Type == kind && p.Flags&flags == flags {
			return p
		}
	}
	return nil
}
