// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"os"

	"github.com/os2026/ebpf-rca/image"
)

// module is what is known of one file that processes map. A nil module names nothing.
type module struct {
	segments             []*elf.Prog // PT_LOAD
	functions, variables table
	golang               *goTable   // nil but for stripped Go programs
	debug                *debugInfo // nil without debug information
	files                []*os.File // open, for names are read from them
	inMemory             int64      // bytes of names
}

// name is a symbol's, as the file has it.
type name struct {
	text   string
	suffix string // not part of what is demangled
}

// place is where an instruction stands in the program's source.
type place struct {
	function name
	file     string
	line     int
	inlined  bool
}

// at returns what the byte at a file offset belongs to, what was inlined first.
func (m *module) at(offset uint64) []place {
	if m == nil {
		return nil
	}
	address, ok := image.VirtualAddress(m.segments, offset)
	if !ok {
		return nil
	}
	var p place
	if s, ok := m.functions.find(address); ok {
		p.function.text, p.function.suffix = m.functions.text(s)
		if m.golang != nil {
			p.file, p.line = m.golang.line(address)
		}
	}
	return m.debug.refine(p, address)
}

// variable returns the variable that has an address, which the linker gave, and how
// far into it that is.
func (m *module) variable(address uint64) (name, uint64, bool) {
	if m == nil || !m.loads(address) {
		return name{}, 0, false
	}
	s, ok := m.variables.find(address)
	if !ok {
		return name{}, 0, false
	}
	var n name
	n.text, n.suffix = m.variables.text(s)
	return n, address - s.start, n.text != ""
}

// loads reports whether a segment has address when it is in memory, .bss included.
func (m *module) loads(address uint64) bool {
	for _, p := range m.segments {
		if p.Vaddr <= address && address-p.Vaddr < p.Memsz {
			return true
		}
	}
	return false
}

// Costs that the cache reckons with.
const (
	moduleCost = 1 << 10
	fileCost   = 1 << 20 // so no more than 64 files are open
)

func (m *module) bytes() int64 {
	if m == nil {
		return moduleCost
	}
	return moduleCost + m.functions.bytes() + m.variables.bytes() + m.inMemory + m.debug.bytes() +
		int64(len(m.files))*fileCost
}

func (m *module) close() {
	if m == nil {
		return
	}
	for _, f := range m.files {
		f.Close()
	}
}
