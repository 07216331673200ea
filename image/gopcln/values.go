// SPDX-License-Identifier: Apache-2.0

package gopcln

import (
	"bufio"
	"encoding/binary"
	"io"
)

// maxValueBytes bounds how much of the table of values of one function is walked.
const maxValueBytes = 1 << 20

// Values walks a table of values of a function: pairs of a difference of values, zigzag,
// and a difference of addresses.
type Values struct {
	in      io.ByteReader
	quantum uint32
	begun   bool

	Value int32
	End   uint64 // Value holds up to here, counted from where the function starts
}

// WalkValues walks the table that begins where in is.
func WalkValues(in io.ByteReader, quantum uint32) *Values {
	return &Values{in: in, quantum: quantum, Value: -1}
}

// Next goes to the next value, and returns false where there is none.
func (v *Values) Next() bool {
	difference, err := binary.ReadUvarint(v.in)
	if err != nil || difference == 0 && v.begun {
		return false
	}
	step, err := binary.ReadUvarint(v.in)
	end := v.End + uint64(uint32(step))*uint64(v.quantum)
	if err != nil || end <= v.End {
		return false
	}
	v.begun = true
	v.Value += int32(uint32(difference)>>1) ^ -int32(difference&1)
	v.End = end
	return true
}

// Value returns what a table of values has for an address in a function.
func (t *Table) Value(f Function, table Field, address uint64) (int32, bool) {
	offset, err := t.Field(f, table)
	if err != nil || offset == 0 {
		return 0, false
	}
	section := io.NewSectionReader(t.r, t.ValueTables+int64(offset), maxValueBytes)
	v := WalkValues(bufio.NewReaderSize(section, 256), t.Quantum)
	for v.Next() {
		if address-f.Start < v.End {
			return v.Value, true
		}
	}
	return 0, false
}
