// SPDX-License-Identifier: Apache-2.0

package gopcln

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/os2026/ebpf-rca/image"
)

// maxFunctions is several times what the largest programs have.
const maxFunctions = 1 << 20

// Table is a table of functions, read where it lies.
type Table struct {
	Header
	// Text is the address from which functions are counted since Go 1.18. It is zero
	// until it is set, and stays so before.
	Text uint64

	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
}

// Open reads the start of a table that is size bytes of r.
func Open(r io.ReaderAt, size int64, order binary.ByteOrder) (*Table, error) {
	h, err := readHeader(r, order)
	if err != nil {
		return nil, err
	}
	if h.Functions > maxFunctions {
		return nil, fmt.Errorf("%d functions: %w", h.Functions, image.ErrTooLarge)
	}
	t := &Table{Header: h, r: r, size: size, order: order}
	if end := t.list() + (2*int64(h.Functions)+1)*t.entryField(); end < 0 || end > size {
		return nil, fmt.Errorf("%d functions at %#x of %#x bytes: %w", h.Functions, t.list(), size, ErrFormat)
	}
	return t, nil
}

// Function is one of the list of functions: its addresses, of which there is at least
// one, and where its record is in the table.
type Function struct {
	Start, End uint64
	record     int64
}

// Walk calls visit for each function, in the order of their addresses, until it returns
// an error.
func (t *Table) Walk(visit func(*Record) error) error {
	// The list is read through one window, the records through another.
	list, record := t.window(), Record{table: t, r: t.window()}
	for i := range int64(t.Functions) {
		f, err := t.entry(list, i)
		if err != nil {
			return fmt.Errorf("read function %d: %w", i, err)
		}
		if f.End < f.Start || !t.holds(f) {
			return fmt.Errorf("function %d: %w", i, ErrFormat)
		}
		if f.End == f.Start {
			continue // a name for what follows
		}
		record.Function = f
		if err := visit(&record); err != nil {
			return err
		}
	}
	return nil
}

// Find returns the function that has an address.
func (t *Table) Find(address uint64) (Function, bool) {
	low, high := int64(0), int64(t.Functions)
	for low < high {
		middle := low + (high-low)/2
		f, err := t.entry(t.r, middle)
		switch {
		case err != nil:
			return Function{}, false
		case address < f.Start:
			high = middle
		case address >= f.End:
			low = middle + 1
		default:
			return f, t.holds(f)
		}
	}
	return Function{}, false
}

// entry reads the i-th entry of the list. Where the function ends the next one says; the
// last entry is only an end.
func (t *Table) entry(r io.ReaderAt, i int64) (Function, error) {
	var data [3 * 8]byte
	field := t.entryField()
	entry := data[:3*field]
	if _, err := r.ReadAt(entry, t.list()+i*2*field); err != nil {
		return Function{}, err
	}
	return Function{
		Start:  pointerIn(t.order, entry, field) + t.Text,
		End:    pointerIn(t.order, entry[2*field:], field) + t.Text,
		record: int64(pointerIn(t.order, entry[field:], field)),
	}, nil
}

func (t *Table) holds(f Function) bool { return f.record >= 0 && f.record <= t.size }

// Field returns a word of a function's record.
func (t *Table) Field(f Function, word Field) (uint32, error) {
	return t.word(t.r, t.field(f.record, word))
}

// File returns where in Files the name of a file of a compilation unit is.
func (t *Table) File(unit uint32, number int32) (uint32, bool) {
	const none = 1<<32 - 1
	at, err := t.word(t.r, t.Units+4*(int64(unit)+int64(number)))
	return at, err == nil && at != none
}

func (t *Table) word(r io.ReaderAt, offset int64) (uint32, error) {
	var b [4]byte
	if _, err := r.ReadAt(b[:], offset); err != nil {
		return 0, err
	}
	return t.order.Uint32(b[:]), nil
}

// Record is a function and its record, while Walk is there.
type Record struct {
	Function
	table *Table
	r     io.ReaderAt
}

// Field returns a word of the record.
func (r *Record) Field(word Field) (uint32, error) {
	return r.table.word(r.r, r.table.field(r.record, word))
}

// Flags of a function, since Go 1.17.
const (
	TopFrame = 1 << iota // the outermost function of a stack
	SPWrite              // it moves to another stack
)

// Flags returns the flags in the record.
func (r *Record) Flags() (byte, error) {
	var b [1]byte
	_, err := r.r.ReadAt(b[:], r.table.field(r.record, r.table.flagged())+1)
	return b[0], err
}
