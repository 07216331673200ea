// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/os2026/ebpf-rca/image/gopcln"
)

// pclntab is the table that Go's linker writes for its runtime.
type pclntab struct {
	*gopcln.Table
	file         *elfFile
	offset, size uint64 // of the table in the file
}

// goQuantum divides the addresses of instructions.
const goQuantum = 1

// openPclntab finds the table by its section or by its first bytes: sections may be
// stripped, and before Go 1.26 a C linker put the table of a position-independent
// program into .data.rel.ro.
func openPclntab(f *elfFile) (*pclntab, error) {
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s := f.Section(name); s != nil {
			return parsePclntab(f, s.Offset, s.Size)
		}
	}
	if f.Section(".go.buildinfo") == nil && len(f.Sections) > 0 {
		return nil, ErrNoRules
	}
	budget := uint64(maxSection)
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X != 0 {
			continue
		}
		n := min(p.Filesz, budget)
		budget -= n
		if at, ok := findPclntab(f, p.Off, n); ok {
			return parsePclntab(f, at, p.Filesz-(at-p.Off))
		}
	}
	return nil, ErrNoRules
}

// findPclntab searches n bytes from an offset of the file.
func findPclntab(f *elfFile, offset, n uint64) (uint64, bool) {
	const window, alignment = 1 << 20, wordSize
	for done := uint64(0); done < n; done += window {
		data, err := f.read(offset+done, min(window, n-done))
		if err != nil {
			return 0, false
		}
		for at := 0; at+gopcln.FormBytes <= len(data); at += alignment {
			if form, ok := gopcln.ParseForm(data[at:], binary.LittleEndian); ok && understood(form) {
				return offset + done + uint64(at), true
			}
		}
	}
	return 0, false
}

// understood reports whether a table is for this architecture and not of before Go
// 1.16.
func understood(f gopcln.Form) bool {
	return f.Version >= gopcln.Go116 && f.Quantum == goQuantum && f.Pointer == wordSize
}

func parsePclntab(f *elfFile, offset, size uint64) (*pclntab, error) {
	if offset > math.MaxInt64 || size > math.MaxInt64-offset {
		return nil, fmt.Errorf("%#x bytes at %#x: %w", size, offset, ErrNoRules)
	}
	t, err := gopcln.Open(io.NewSectionReader(f, int64(offset), int64(size)), int64(size), binary.LittleEndian)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRules, err)
	}
	if !understood(t.Form) {
		return nil, fmt.Errorf("of Go 1.%d, quantum %d, %d bytes to a pointer: %w", t.Version, t.Quantum, t.Pointer, ErrNoRules)
	}
	return &pclntab{Table: t, file: f, offset: offset, size: size}, nil
}

// part reads the table from one offset to another.
func (t *pclntab) part(from, to int64) ([]byte, error) {
	if from > to || uint64(to) > t.size {
		return nil, fmt.Errorf("bytes %#x to %#x of %#x: %w", from, to, t.size, gopcln.ErrFormat)
	}
	return t.file.read(t.offset+uint64(from), uint64(to-from))
}
