// SPDX-License-Identifier: Apache-2.0

package ksym

import (
	"cmp"
	"slices"
)

// maxFunction is how far past its symbol an address may lie and still be named by
// it. The table holds no sizes; the longest function of a common kernel is about
// 20 KiB, and instrumented builds reach several times that.
const maxFunction = 256 << 10

// Symbol names a place in kernel text.
type Symbol struct {
	Name string
	// Module is the module's name, or "bpf" for compiled programs; empty for the
	// kernel image itself.
	Module string
	// Start is where the function begins, Offset how far past it the address is.
	Start, Offset uint64
}

// Table is a sorted list of text symbols. It does not change once read and may be
// used by several goroutines; a nil Table resolves nothing.
type Table struct {
	entries []entry
	names   string // all names, one after the other
	modules []string
}

// entry is 16 bytes, so that the 120,000 symbols of a kernel take 2 MB and names.
type entry struct {
	address uint64
	name    uint32 // offset in Table.names
	length  uint16 // 0: text ends here and what follows has no name
	module  uint16 // index in Table.modules; 0 is the kernel image
}

// Resolve names address. It reports false where no symbol is near: below the
// first, past the end of a section, or far past the last.
func (t *Table) Resolve(address uint64) (Symbol, bool) {
	if t == nil {
		return Symbol{}, false
	}
	i, exact := slices.BinarySearchFunc(t.entries, address, func(e entry, a uint64) int {
		return cmp.Compare(e.address, a)
	})
	if !exact {
		i--
	}
	if i < 0 {
		return Symbol{}, false
	}
	e := t.entries[i]
	if e.length == 0 || address-e.address >= maxFunction {
		return Symbol{}, false
	}
	return Symbol{
		Name:   t.names[e.name:][:e.length],
		Module: t.modules[e.module],
		Start:  e.address,
		Offset: address - e.address,
	}, true
}

// Len is how many addresses t knows.
func (t *Table) Len() int {
	if t == nil {
		return 0
	}
	return len(t.entries)
}
