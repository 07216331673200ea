// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"errors"
	"fmt"
	"io"

	"github.com/os2026/ebpf-rca/image"
)

var (
	// ErrNone says that a file has no DWARF.
	ErrNone = errors.New("no debug information")
	// ErrTooLarge says that a file has more than is read, see limits.go.
	ErrTooLarge = image.ErrTooLarge
)

// Call is one function that is active at an address, the innermost (inlined) first.
type Call struct {
	// Function is the linkage name if there is one, not demangled, else the plain name,
	// empty if it is unknown.
	Function string
	// File is the path as the compiler recorded it, joined with its directory.
	File string
	// Line is where the function is at that address: for the innermost the line of the
	// instruction, for others the line of the call. 0 is unknown.
	Line int
	// Inlined is true for all but the outermost.
	Inlined bool
}

// Table is the DWARF of a file. It is for one goroutine at a time.
type Table struct {
	*sections
	work    *meter
	abbrevs abbrevCache

	units  []unit
	index  []segment // unit by address, see claimID
	claims []span    // what index was made from, while there are silent units
	silent []int32   // units that do not say which addresses they have

	cache unitCache
	names nameCache
	clock uint64 // lookups
}

// Read indexes the compile units of an ELF file, which may be one that has nothing but
// debug information. r must stay readable for as long as the table is used.
func Read(r io.ReaderAt, size int64) (t *Table, err error) {
	defer func() {
		if p := recover(); p != nil {
			t, err = nil, fmt.Errorf("reading DWARF: panic: %v", p)
		}
	}()
	return read(r, size)
}

func read(r io.ReaderAt, size int64) (*Table, error) {
	t := &Table{work: &meter{file: fileSteps}}
	t.work.start(indexSteps)
	var err error
	if t.sections, err = readSections(r, size, t.work); err != nil {
		return nil, fmt.Errorf("reading ELF: %w", err)
	}
	if t.info.size == 0 || t.abbrev.size == 0 {
		return nil, ErrNone
	}
	if t.info.size > maxInfo {
		return nil, fmt.Errorf(".debug_info of %d bytes: %w", t.info.size, ErrTooLarge)
	}
	t.abbrevs.section = &t.abbrev
	t.readUnits()
	t.readAranges()
	if t.work.task < 0 {
		return nil, fmt.Errorf("indexing units: %w", ErrTooLarge)
	}
	if len(t.units) == 0 {
		return nil, ErrNone
	}
	t.reindex()
	t.trim()
	return t, nil
}

func (t *Table) reindex() {
	t.index = flatten(t.claims)
	if len(t.silent) == 0 {
		t.claims = nil
	}
}

// Bytes returns how much memory the table keeps, the reader given to Read apart.
func (t *Table) Bytes() int {
	size := int(t.inflated) + len(t.units)*unitBytes + len(t.index)*segmentBytes + cap(t.claims)*24
	for _, part := range t.parts() {
		if part.file != nil {
			size += cap(part.data)
		}
	}
	return size + t.abbrevs.bytes + t.cache.bytes + t.names.bytes
}

// At returns the calls that are active at an address, nil if nothing is known of it. If
// only its line is known, as in assembly, there is one call without a function. The
// address is that of the ELF file, before the file is loaded anywhere.
func (t *Table) At(vaddr uint64) (calls []Call) {
	defer func() {
		if p := recover(); p != nil {
			calls = nil
		}
	}()
	return t.at(vaddr)
}

func (t *Table) at(vaddr uint64) []Call {
	defer t.trim()
	t.clock++
	id := find(t.index, vaddr)
	if id == nobody && len(t.silent) > 0 {
		t.settle()
		id = find(t.index, vaddr)
	}
	if id == nobody {
		return nil
	}
	place := claimant(id)
	l := t.unit(place)
	if l == nil {
		return nil
	}
	t.work.start(nameSteps)
	return t.calls(&t.units[place], l, vaddr)
}

// unit returns a unit, read if it is not kept, nil if it cannot be read.
func (t *Table) unit(place int32) *loaded {
	l := t.cache.units[place]
	if l == nil {
		u := &t.units[place]
		if u.failed {
			return nil
		}
		t.work.start(unitSteps)
		if l, _ = t.load(u); l == nil {
			u.failed = true
			return nil
		}
		t.cache.keep(place, l)
	}
	l.used = t.clock
	return l
}

// load reads the functions and lines of a unit, one of which may be missing, and
// returns the addresses that it has functions for.
func (t *Table) load(u *unit) (*loaded, []span) {
	l := &loaded{scopes: &scopes{}}
	functions, spans, err := t.readScopes(u)
	if err == nil {
		l.scopes = functions
	}
	if u.hasLines {
		h, headerErr := t.readLineHeader(u)
		if headerErr == nil {
			l.header = h
			l.rows, _ = t.readRows(h)
		}
	}
	if err != nil && len(l.rows) == 0 {
		return nil, nil
	}
	return l, spans
}

// settle reads the units that do not say which addresses they have.
func (t *Table) settle() {
	t.work.start(indexSteps)
	for _, place := range t.silent {
		l, spans := t.load(&t.units[place])
		if l == nil {
			continue
		}
		for _, s := range append(spans, rowSpans(l.rows)...) {
			if len(t.claims) < maxUnitRanges {
				t.claims = append(t.claims, span{s.low, s.high, claimID(place, false)})
			}
		}
	}
	t.silent = nil
	t.reindex()
}

// calls lists the scopes around an address.
func (t *Table) calls(u *unit, l *loaded, address uint64) []Call {
	innermost, known := lineAt(l.rows, address)
	id := find(l.scopes.segments, address)
	if id == nobody {
		if !known {
			return nil
		}
		return []Call{{File: t.file(u, l, innermost.file), Line: int(innermost.line)}}
	}
	var calls []Call
	file, line := innermost.file, innermost.line
	if !known {
		file = noFile
	}
	for id != nobody {
		s := &l.scopes.list[id]
		calls = append(calls, Call{
			Function: t.function(u.start + uint64(s.entry)),
			File:     t.file(u, l, file),
			Line:     int(line),
			Inlined:  s.caller != nobody,
		})
		id, file, line = s.caller, s.file, s.line
	}
	return calls
}

func (t *Table) function(entry uint64) string {
	return t.names.get(nameKey{entry: entry}, func() string { return t.functionName(entry) })
}

func (t *Table) file(u *unit, l *loaded, index uint32) string {
	if index == noFile || l.header == nil {
		return ""
	}
	key := nameKey{entry: u.start, file: index, isFile: true}
	return t.names.get(key, func() string { return t.fileName(u, l.header, index) })
}
