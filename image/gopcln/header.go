// SPDX-License-Identifier: Apache-2.0

package gopcln

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrFormat is wrapped by errors about bytes that are no table of functions.
var ErrFormat = errors.New("not a Go function table")

// Version is the version of Go with which a form of the table began.
type Version int

const (
	Go12  Version = 2
	Go116 Version = 16
	Go118 Version = 18
	Go120 Version = 20
)

var magic = map[uint32]Version{
	0xfffffffb: Go12, 0xfffffffa: Go116, 0xfffffff0: Go118, 0xfffffff1: Go120,
}

// Form is what the first bytes say of the table.
type Form struct {
	Version Version
	Quantum uint32 // program counters are multiples of it
	Pointer int64  // bytes of an address
}

// FormBytes is how many bytes tell the form.
const FormBytes = 8

// ParseForm decodes the first FormBytes of a table: magic, two zeros, the quantum, the
// size of a pointer.
func ParseForm(data []byte, order binary.ByteOrder) (Form, bool) {
	if len(data) < FormBytes {
		return Form{}, false
	}
	f := Form{Version: magic[order.Uint32(data)], Quantum: uint32(data[6]), Pointer: int64(data[7])}
	if f.Version == 0 || data[4] != 0 || data[5] != 0 ||
		f.Quantum != 1 && f.Quantum != 2 && f.Quantum != 4 || f.Pointer != 4 && f.Pointer != 8 {
		return Form{}, false
	}
	return f, true
}

// Header is the start of the table. Offsets are those in the table.
type Header struct {
	Form
	Functions uint64
	TextStart uint64 // where runtime.text is; 0 where that is relocated or not said

	Names, Units, Files, ValueTables, Data int64
}

// readHeader reads the form, and after it words of the size of a pointer.
func readHeader(r io.ReaderAt, order binary.ByteOrder) (Header, error) {
	const longest = FormBytes + 8*8
	data := make([]byte, longest)
	if n, err := r.ReadAt(data, 0); err != nil && (err != io.EOF || n < 3*FormBytes) {
		return Header{}, fmt.Errorf("read: %w", err)
	}
	form, ok := ParseForm(data, order)
	if !ok {
		return Header{}, ErrFormat
	}
	h := Header{Form: form}
	word := func(i int64) uint64 { return pointerIn(order, data[FormBytes+i*h.Pointer:], h.Pointer) }
	h.Functions = word(0)
	first := int64(3)
	switch h.Version {
	case Go12:
		return h, nil // all offsets count from the start, and functions follow
	case Go116:
		first = 2
	default:
		h.TextStart = word(2)
	}
	for i, to := range []*int64{&h.Names, &h.Units, &h.Files, &h.ValueTables, &h.Data} {
		*to = int64(word(first + int64(i)))
		if *to < 0 {
			return Header{}, ErrFormat
		}
	}
	return h, nil
}

func pointerIn(order binary.ByteOrder, b []byte, size int64) uint64 {
	if size == 4 {
		return uint64(order.Uint32(b))
	}
	return order.Uint64(b)
}

// entryField is the size of the two words that an entry of the list of functions has:
// where a function begins, and where its record is.
func (h Header) entryField() int64 {
	if h.Version >= Go118 {
		return 4
	}
	return h.Pointer
}

// list is where the list of functions is.
func (h Header) list() int64 {
	if h.Version == Go12 {
		return FormBytes + h.Pointer
	}
	return h.Data
}

// field returns where a word of a function's record is. Before the words is the place
// of the function.
func (h Header) field(record int64, word Field) int64 {
	first := int64(4)
	if h.Version < Go118 {
		first = h.Pointer
	}
	return h.Data + record + first + (int64(word)-1)*4
}

// Field is a word of a function's record.
type Field int64

// The words that are of use. In those that tables of values belong to is where the
// table is.
const (
	Name        Field = 1 // offset in the names
	StackDepths Field = 4 // table of values: bytes that the function has put on the stack
	FileNumbers Field = 5 // table of values
	Lines       Field = 6 // table of values
	Tables      Field = 7 // how many further tables of values there are
	Unit        Field = 8 // of the function, an index of Units
)

// flagged is the word that has four small numbers, among them the flags. Since Go 1.20
// the line where the function starts is before it.
func (h Header) flagged() Field {
	if h.Version >= Go120 {
		return Unit + 2
	}
	return Unit + 1
}

// Further returns the field of one of the further tables of values, counted from 0.
func (h Header) Further(i int) Field { return h.flagged() + 1 + Field(i) }
