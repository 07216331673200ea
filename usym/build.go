// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/os2026/ebpf-rca/image"
)

// maxKept bounds the functions and the variables of a file, at 24 MiB each.
const maxKept = 1 << 20

// object is an ELF file to read symbols from.
type object struct {
	*image.ELF
	r    io.ReaderAt
	size int64
	file *os.File // what r reads, nil if that is memory
}

// builder gathers the symbols of a file from all that has some.
type builder struct {
	functions, variables []symbol
	sources              []names
	files                []*os.File // those that sources read
	inMemory             int64      // bytes of sources in memory
	complete             bool       // no function lacks a symbol
	locals               bool       // there are functions that only their own file sees
	lines                *debugInfo
	errs                 []error

	read map[*image.Section]names // those in memory, which the PLT uses as well
}

// failed notes why a source of names is left out.
func (b *builder) failed(what string, err error) {
	if err != nil {
		b.errs = append(b.errs, fmt.Errorf("%s: %w", what, err))
	}
}

// source adds a table of names that is a section of from.
func (b *builder) source(from object, s *image.Section, suffix string) (uint16, error) {
	n, ok := b.read[s]
	if !ok {
		var err error
		if n, err = readNames(s, int64(s.FileSize)); err != nil {
			return 0, err
		}
		if b.read == nil {
			b.read = make(map[*image.Section]names)
		}
		b.read[s] = names{r: n.r, lazy: n.lazy} // counted once
	}
	n.suffix = suffix
	return b.addNames(from, n), nil
}

func (b *builder) addNames(from object, n names) uint16 {
	switch {
	case n.lazy && from.file == nil:
		n.kept = from.size // what a part of is needed is kept whole
	case n.lazy:
		b.keepOpen(from.file)
	}
	b.inMemory += n.kept
	b.sources = append(b.sources, n)
	return uint16(len(b.sources) - 1)
}

// keepOpen leaves a file open as long as the module is kept.
func (b *builder) keepOpen(file *os.File) {
	if !slices.Contains(b.files, file) {
		b.files = append(b.files, file)
	}
}

// symbols adds those of a section of from, whose addresses are lower by shift than
// those of the file that is mapped. All are left out if there are too many.
func (b *builder) symbols(from object, kind elf.SectionType, shift uint64) error {
	section := from.SectionByType(kind)
	if !plain(section) {
		return nil
	}
	text := linked(from.ELF, section)
	if text == nil {
		return errors.New("no string table")
	}
	source, err := b.source(from, text, "")
	if err != nil {
		return err
	}
	functions, variables := len(b.functions), len(b.variables)
	err = walkSymbols(from.ELF, section, func(s elfSymbol) error {
		kept := symbol{
			start: s.value + shift, size: clamp(s.size), name: s.name,
			source: source, binding: uint8(elf.ST_BIND(s.info)),
		}
		switch {
		case uint64(s.name) >= text.FileSize:
		case s.isFunction():
			b.functions = append(b.functions, kept)
			b.locals = b.locals || elf.ST_BIND(s.info) == elf.STB_LOCAL
		case s.isVariable(from.ELF):
			b.variables = append(b.variables, kept)
		}
		if max(len(b.functions), len(b.variables)) > maxKept {
			return fmt.Errorf("more than %d symbols: %w", maxKept, image.ErrTooLarge)
		}
		return nil
	})
	if err != nil {
		b.functions, b.variables = b.functions[:functions], b.variables[:variables]
	}
	return err
}

// module makes the symbols of the file that is mapped.
func (b *builder) module(mapped *image.ELF) *module {
	m := &module{
		segments:  loaded(mapped.Progs),
		functions: table{symbols: b.functions, sources: b.sources},
		variables: table{symbols: b.variables, sources: b.sources},
		files:     b.files,
		inMemory:  b.inMemory,
		debug:     b.lines,
	}
	m.functions.index()
	m.functions.bound(mapped.Sections, b.complete)
	m.variables.index()
	return m
}

// loaded returns the headers of the segments that are mapped, without the file.
func loaded(progs []*elf.Prog) []*elf.Prog {
	var headers []*elf.Prog
	for _, p := range progs {
		if p.Type == elf.PT_LOAD {
			headers = append(headers, &elf.Prog{ProgHeader: p.ProgHeader})
		}
	}
	return headers
}
