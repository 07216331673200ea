// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"errors"
	"fmt"
	"io"
)

var (
	// ErrUnsupported is wrapped by errors about files that are no x86-64 ELF program
	// or library.
	ErrUnsupported = errors.New("not an x86-64 ELF program")
	// ErrNoRules is wrapped by errors about files without unwind information.
	ErrNoRules = errors.New("no unwind information")
)

// Table holds the unwind rules of one file. It does not change and may be used by
// several goroutines.
type Table struct{ sources []source }

// source is one kind of unwind information in a file.
type source interface {
	// rule returns false where the source does not speak of pc at all.
	rule(pc uint64, returnAddress bool) (Rule, bool)
	bytes() int
}

// Read reads the rules of an ELF file of the given size. A part that cannot be read is
// left out as long as there is another.
func Read(r io.ReaderAt, size int64) (*Table, error) {
	return read(r, size, readEHFrame, readGoOrDebugFrame)
}

// readGoOrDebugFrame leaves .debug_frame of Go programs alone: it says what .gopclntab
// says, but not where stacks end.
func readGoOrDebugFrame(f *elfFile) (source, error) {
	s, err := readGo(f)
	if err == nil {
		return s, nil
	}
	s, other := readDebugFrame(f)
	if other == nil {
		return s, nil
	}
	return nil, errors.Join(err, other)
}

// ReadGo reads only what the Go linker wrote for the Go runtime. It is there also in
// stripped programs, gives the exact rule of all code written in Go, and knows where
// the stacks of goroutines and of the runtime's threads end.
func ReadGo(r io.ReaderAt, size int64) (*Table, error) {
	return read(r, size, readGo)
}

// read asks each reader for a source; those that come first are asked first.
func read(r io.ReaderAt, size int64, readers ...func(*elfFile) (source, error)) (*Table, error) {
	f, err := openELF(r, size)
	if err != nil {
		return nil, fmt.Errorf("reading unwind rules: %w", err)
	}
	t := &Table{}
	var failed []error
	for _, reader := range readers {
		s, err := reader(f)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		t.sources = append(t.sources, s)
	}
	if len(t.sources) == 0 {
		return nil, fmt.Errorf("reading unwind rules: %w", errors.Join(failed...))
	}
	return t, nil
}

// Rule returns the rule of the code at vaddr, the address that the linker gave to it.
// A return address belongs to the call before it, so it is looked up one byte earlier;
// the innermost frame, and one that a signal interrupted, have exact addresses.
func (t *Table) Rule(vaddr uint64, returnAddress bool) Rule {
	for _, s := range t.sources {
		if r, ok := s.rule(vaddr, returnAddress); ok {
			return r
		}
	}
	return Rule{}
}

// Bytes returns how much memory the table keeps.
func (t *Table) Bytes() int {
	n := 0
	for _, s := range t.sources {
		n += s.bytes()
	}
	return n
}
