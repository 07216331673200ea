// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// Versions of .gopclntab, by its first word.
const (
	magic116 = 0xfffffffa
	magic118 = 0xfffffff0
	magic120 = 0xfffffff1
)

// pclntab is the outline of the table that Go's linker writes for its runtime.
// Positions are offsets in the table.
type pclntab struct {
	file   *elfFile
	offset uint64 // of the table in the file
	size   uint64

	count      uint64 // functions
	text       uint64 // address that functions are relative to; 0: not said
	absolute   bool   // functions are addresses (before Go 1.18)
	names, cus uint64 // where names begin, and what follows them
	pctab      uint64
	functions  uint64 // the list of functions, then their records
	entry      recordLayout
}

// recordLayout says where in the record of a function things are.
type recordLayout struct{ name, pcsp, flag, size int }

const (
	maxFunctions  = 2 << 20
	pclntabHeader = 8 // magic, two zeros, instruction quantum, word size
)

// openPclntab finds the table by its section or by its first bytes: sections may be
// stripped, and before Go 1.26 a C linker put the table of a position-independent
// program into .data.rel.ro.
func openPclntab(f *elfFile) (*pclntab, error) {
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s, ok := f.section(name); ok {
			return parsePclntab(f, s.Off, s.Size)
		}
	}
	if _, isGo := f.section(".go.buildinfo"); !isGo && len(f.sections) > 0 {
		return nil, ErrNoRules
	}
	budget := uint64(maxSection)
	for _, p := range f.progs {
		if elf.ProgType(p.Type) != elf.PT_LOAD || elf.ProgFlag(p.Flags)&elf.PF_X != 0 {
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
		for at := 0; at+pclntabHeader <= len(data); at += alignment {
			if _, ok := magicOf(data[at:]); ok {
				return offset + done + uint64(at), true
			}
		}
	}
	return 0, false
}

// magicOf returns the first word of a table for this architecture.
func magicOf(data []byte) (uint32, bool) {
	const quantum = 1
	if len(data) < pclntabHeader || !bytes.Equal(data[4:pclntabHeader], []byte{0, 0, quantum, wordSize}) {
		return 0, false
	}
	magic := binary.LittleEndian.Uint32(data)
	return magic, magic == magic116 || magic == magic118 || magic == magic120
}

func parsePclntab(f *elfFile, offset, size uint64) (*pclntab, error) {
	const most = pclntabHeader + 8*wordSize
	header, err := f.read(offset, most)
	if err != nil {
		return nil, err
	}
	magic, ok := magicOf(header)
	if !ok {
		return nil, fmt.Errorf("version is not understood: %w", ErrNoRules)
	}
	t := &pclntab{file: f, offset: offset, size: size, absolute: magic == magic116}
	c := cursor{data: header, at: pclntabHeader}
	t.count = c.u64()
	c.u64() // files
	switch magic {
	case magic116:
		t.entry = recordLayout{name: 8, pcsp: 20, flag: 41, size: 44}
	case magic118:
		t.text = c.u64()
		t.entry = recordLayout{name: 4, pcsp: 16, flag: 37, size: 40}
	case magic120:
		t.text = c.u64()
		t.entry = recordLayout{name: 4, pcsp: 16, flag: 41, size: 44}
	}
	t.names, t.cus = c.u64(), c.u64()
	c.u64() // file names
	t.pctab, t.functions = c.u64(), c.u64()
	if t.count == 0 || t.count > maxFunctions || t.functions > size || t.pctab > t.functions {
		return nil, fmt.Errorf("%d functions at %#x of %#x bytes: %w", t.count, t.functions, size, ErrNoRules)
	}
	return t, nil
}

// read reads t[from:to].
func (t *pclntab) read(from, to uint64) ([]byte, error) {
	if from > to || to > t.size {
		return nil, fmt.Errorf("bytes %#x to %#x of %#x: %w", from, to, t.size, ErrNoRules)
	}
	return t.file.read(t.offset+from, to-from)
}

// listed is a function in the list: its first byte and its record, relative to the
// code and to the list.
type listed struct{ start, record uint64 }

// list returns the functions in the order of their addresses, and where the last ends.
func (t *pclntab) list() (functions []listed, end uint64, err error) {
	width := uint64(4)
	if t.absolute {
		width = wordSize
	}
	raw, err := t.read(t.functions, t.functions+(2*t.count+1)*width)
	if err != nil {
		return nil, 0, err
	}
	c := cursor{data: raw}
	number := func() uint64 {
		if t.absolute {
			return c.u64()
		}
		return uint64(c.u32())
	}
	functions = make([]listed, t.count)
	for i := range functions {
		functions[i] = listed{number(), number()}
		if i > 0 && functions[i].start <= functions[i-1].start {
			return nil, 0, fmt.Errorf("function %d is out of order: %w", i, ErrNoRules)
		}
	}
	end = number()
	if end <= functions[len(functions)-1].start {
		return nil, 0, fmt.Errorf("the code ends before the last function: %w", ErrNoRules)
	}
	return functions, end, nil
}
