// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"

	"github.com/os2026/ebpf-rca/image"
)

// table is the function symbols of one ELF file. A nil table names nothing.
type table struct {
	segments []*elf.Prog // PT_LOAD
	symbols  []symbol    // by start
	names    string      // the string tables of the file
}

// symbol covers [start, start+size) of the addresses given by the linker.
type symbol struct {
	start, size uint64
	name        uint32 // offset in table.names, ended by a zero byte
	binding     elf.SymBind
}

// name returns the function that the byte at a file offset belongs to, "" if no
// symbol covers it.
func (t *table) name(offset uint64) string {
	if t == nil {
		return ""
	}
	address, ok := image.VirtualAddress(t.segments, offset)
	if !ok {
		return ""
	}
	i, exact := slices.BinarySearchFunc(t.symbols, address, func(s symbol, a uint64) int {
		return cmp.Compare(s.start, a)
	})
	if !exact {
		i--
	}
	if i < 0 || address-t.symbols[i].start >= t.symbols[i].size {
		return ""
	}
	return t.text(t.symbols[i])
}

// maxName is how much of a name is shown.
const maxName = 4096

func (t *table) text(s symbol) string {
	text := t.names[s.name:]
	text = text[:min(len(text), maxName)]
	text, _, _ = strings.Cut(text, "\x00")
	// In the tables of libraries that were not stripped a version follows.
	text, _, _ = strings.Cut(text, "@")
	return text
}

// index sorts the symbols and keeps the best of those that begin together.
func (t *table) index() {
	slices.SortStableFunc(t.symbols, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.start, b.start), t.preference(a, b))
	})
	t.symbols = slices.CompactFunc(t.symbols, func(a, b symbol) bool { return a.start == b.start })
	t.symbols = slices.Clip(t.symbols)
}

// preference puts first what is better known by: a name with fewer leading
// underscores, a symbol of other files over a local one, the larger, and the first
// by alphabet. So pthread_mutex_lock goes before __pthread_mutex_lock.
func (t *table) preference(a, b symbol) int {
	x, y := t.text(a), t.text(b)
	return cmp.Or(
		cmp.Compare(underscores(x), underscores(y)),
		cmp.Compare(local(a), local(b)),
		-cmp.Compare(a.size, b.size),
		cmp.Compare(x, y),
	)
}

func underscores(name string) int { return len(name) - len(strings.TrimLeft(name, "_")) }

func local(s symbol) int {
	if s.binding == elf.STB_LOCAL {
		return 1
	}
	return 0
}
