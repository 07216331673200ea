// SPDX-License-Identifier: Apache-2.0

package ksym

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
)

// ErrRestricted says that the kernel shows all its addresses as zero to this
// process: kernel.kptr_restrict is 2, or is 1 and CAP_SYSLOG is missing.
var ErrRestricted = errors.New("kernel addresses are hidden (kernel.kptr_restrict)")

// Load reads the table of the running kernel. The table is never nil; an error
// says why it resolves less than it should.
func Load() (*Table, error) {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return &Table{}, fmt.Errorf("kernel symbols: %w", err)
	}
	defer f.Close()
	return Read(f)
}

// Read reads a table in the form of /proc/kallsyms: address, type, name and, for
// modules, the module in brackets. Only text symbols (t, T, w, W) are kept. The
// table is never nil: after an error it holds what was read before, and lines that
// make no sense are left out and reported as one error.
func Read(r io.Reader) (*Table, error) {
	b := builder{indices: map[string]uint16{"": 0}, modules: []string{""}}
	lines := bufio.NewScanner(r)
	var bad error
	for n := 1; lines.Scan(); n++ {
		if err := b.add(lines.Bytes()); err != nil && bad == nil {
			bad = fmt.Errorf("kernel symbols: line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return b.table(), fmt.Errorf("kernel symbols: %w", err)
	}
	if b.hidden > 0 && len(b.symbols) == 0 {
		return b.table(), fmt.Errorf("kernel symbols: %w", ErrRestricted)
	}
	return b.table(), bad
}

// builder gathers symbols in the order of the file.
type builder struct {
	symbols []symbol
	names   []byte
	modules []string
	indices map[string]uint16 // of modules
	hidden  int               // symbols at address zero
}

type symbol struct {
	entry
	rank int // the lower names a shared address
}

func (b *builder) add(line []byte) error {
	address, rest, _ := bytes.Cut(line, []byte(" "))
	kind, rest, _ := bytes.Cut(rest, []byte(" "))
	name, module, _ := bytes.Cut(rest, []byte("\t"))
	if len(kind) != 1 || len(name) == 0 || len(name) > math.MaxUint16 {
		return errors.New("not an address, a type and a name")
	}
	a, err := strconv.ParseUint(string(address), 16, 64)
	if err != nil {
		return fmt.Errorf("address: %w", err)
	}
	if !isText(kind[0]) {
		return nil
	}
	if a == 0 {
		b.hidden++
		return nil
	}
	index, err := b.module(module)
	if err != nil {
		return err
	}
	return b.append(a, name, index, rank(kind[0], name))
}

func (b *builder) append(address uint64, name []byte, module uint16, rank int) error {
	if len(b.names)+len(name) > math.MaxUint32 {
		return errors.New("more than 4 GiB of names")
	}
	e := entry{address: address, name: uint32(len(b.names)), length: uint16(len(name)), module: module}
	if endsText(name) {
		e.length = 0
	} else {
		b.names = append(b.names, name...)
	}
	b.symbols = append(b.symbols, symbol{entry: e, rank: rank})
	return nil
}

// module returns the index of a module given as "[name]".
func (b *builder) module(field []byte) (uint16, error) {
	name := bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(field), []byte("[")), []byte("]"))
	if index, ok := b.indices[string(name)]; ok {
		return index, nil
	}
	if len(b.modules) > math.MaxUint16 {
		return 0, errors.New("more than 65,535 modules")
	}
	index := uint16(len(b.modules))
	b.modules = append(b.modules, string(name))
	b.indices[string(name)] = index
	return index, nil
}

// table sorts what was gathered and keeps one symbol an address.
func (b *builder) table() *Table {
	// Stable, so that of equals the first in the file is kept.
	slices.SortStableFunc(b.symbols, func(x, y symbol) int {
		return cmp.Or(cmp.Compare(x.address, y.address), cmp.Compare(x.rank, y.rank))
	})
	b.symbols = slices.CompactFunc(b.symbols, func(x, y symbol) bool { return x.address == y.address })
	entries := make([]entry, len(b.symbols))
	for i, s := range b.symbols {
		entries[i] = s.entry
	}
	return &Table{entries: entries, names: string(b.names), modules: b.modules}
}

func isText(kind byte) bool {
	switch kind {
	case 't', 'T', 'w', 'W':
		return true
	default:
		return false
	}
}

// rank orders the symbols of one address: a name with fewer leading underscores
// first, then global before local before weak. A function at the address goes
// before a mark of the end of text.
func rank(kind byte, name []byte) int {
	r := 4 * (len(name) - len(bytes.TrimLeft(name, "_")))
	switch kind {
	case 't':
		r++
	case 'w', 'W':
		r += 2
	}
	if endsText(name) {
		r += math.MaxInt32
	}
	return r
}

// endsText reports whether name is a linker's mark of the end of a text section,
// as are _etext and __sched_text_end.
func endsText(name []byte) bool {
	switch string(name) {
	case "_etext", "_einittext":
		return true
	default:
		return bytes.HasPrefix(name, []byte("__")) && bytes.HasSuffix(name, []byte("_text_end"))
	}
}
