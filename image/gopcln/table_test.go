// SPDX-License-Identifier: Apache-2.0

package gopcln

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

func open(t testing.TB, data []byte, order binary.ByteOrder) *Table {
	t.Helper()
	table, err := Open(bytes.NewReader(data), int64(len(data)), order)
	require.NoError(t, err)
	return table
}

// A program of Go 1.2 to 1.15 has another form of the table.
func TestTableOfOldPrograms(t *testing.T) {
	order := binary.LittleEndian
	data := []byte{0xfb, 0xff, 0xff, 0xff, 0, 0, 1, 8}
	word := func(v uint64) { data = order.AppendUint64(data, v) }
	const first, second, names = 8 + 8 + 5*8, 8 + 8 + 5*8 + 12, 8 + 8 + 5*8 + 24
	word(2)
	for _, v := range []uint64{0x1000, first, 0x1010, second, 0x1030} {
		word(v)
	}
	for _, name := range []uint32{names, names + 4} {
		word(0)
		data = order.AppendUint32(data, name)
	}
	data = append(data, "one\x00two\x00"...)
	table := open(t, data, order)
	var got []Function
	var offsets []uint32
	require.NoError(t, table.Walk(func(r *Record) error {
		name, err := r.Field(Name)
		got, offsets = append(got, r.Function), append(offsets, name)
		return err
	}))
	assert.Equal(t, []Function{{Start: 0x1000, End: 0x1010, record: first}, {Start: 0x1010, End: 0x1030, record: second}}, got)
	assert.Equal(t, []uint32{names, names + 4}, offsets)
}

// tableOf has functions of 16 bytes each, whose name is their number, as Go 1.16, 1.18
// and 1.20 wrote it.
func tableOf(version Version, order binary.AppendByteOrder, pointer int, functions int) []byte {
	number := func(b []byte, v uint64, size int) []byte {
		if size == 4 {
			return order.AppendUint32(b, uint32(v))
		}
		return order.AppendUint64(b, v)
	}
	var word uint32
	for w, v := range magic {
		if v == version {
			word = w
		}
	}
	data := append(order.AppendUint32(nil, word), 0, 0, 1, byte(pointer))
	head, field := []uint64{uint64(functions), 1}, 4
	if version == Go116 {
		field = pointer
	} else {
		head = append(head, 0x400000)
	}
	at := uint64(len(data) + (len(head)+5)*pointer)
	for _, v := range append(head, at, at, at, at, at) {
		data = number(data, v, pointer)
	}
	h := Header{Form: Form{Version: version, Pointer: int64(pointer)}}
	size := int(h.field(0, h.flagged())) + 4
	list := (2*functions + 1) * field
	for i := range functions {
		data = number(number(data, uint64(16*i), field), uint64(list+i*size), field)
	}
	data = number(data, uint64(16*functions), field)
	for i := range functions {
		record := make([]byte, size)
		copy(record[h.field(0, Name):], order.AppendUint32(nil, uint32(i)))
		record[h.field(0, h.flagged())+1] = byte(i)
		data = append(data, record...)
	}
	return data
}

func TestWalkAndFind(t *testing.T) {
	for _, version := range []Version{Go116, Go118, Go120} {
		for _, pointer := range []int{4, 8} {
			for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				data := tableOf(version, order, pointer, 5000) // larger than a window
				table := open(t, data, order.(binary.ByteOrder))
				table.Text = 0x1000
				i := 0
				require.NoError(t, table.Walk(func(r *Record) error {
					name, err := r.Field(Name)
					require.NoError(t, err)
					flags, err := r.Flags()
					require.NoError(t, err)
					require.Equal(t, []any{uint64(0x1000 + 16*i), uint64(0x1010 + 16*i), uint32(i), byte(i)}, []any{r.Start, r.End, name, flags})
					found, ok := table.Find(r.End - 1)
					require.True(t, ok)
					require.Equal(t, r.Function, found)
					i++
					return nil
				}))
				assert.Equal(t, 5000, i)
				for _, outside := range []uint64{0xfff, 0x1000 + 5000*16} {
					_, ok := table.Find(outside)
					assert.False(t, ok)
				}
			}
		}
	}
}

func TestOpenWhatIsNone(t *testing.T) {
	whole := tableOf(Go120, binary.LittleEndian, 8, 3)
	for _, data := range [][]byte{nil, make([]byte, 100), []byte("\xf1\xff\xff\xff\x00\x00\x03\x08" + string(make([]byte, 64))), whole[:80]} {
		_, err := Open(bytes.NewReader(data), int64(len(data)), binary.LittleEndian)
		require.Error(t, err)
	}
	binary.LittleEndian.PutUint64(whole[8:], 1<<40)
	_, err := Open(bytes.NewReader(whole), 1<<62, binary.LittleEndian)
	require.ErrorIs(t, err, image.ErrTooLarge)
}

func TestWalkRefusesDisorder(t *testing.T) {
	order := binary.LittleEndian
	whole := tableOf(Go120, order, 8, 3)
	list := order.Uint64(whole[64:])
	for name, at := range map[string]uint64{"before the last": list + 8, "record beyond": list + 4 + 3} {
		data := bytes.Clone(whole)
		data[at] = 0xff
		err := open(t, data, order).Walk(func(*Record) error { return nil })
		require.ErrorIs(t, err, ErrFormat, name)
	}
	assert.ErrorIs(t, open(t, whole, order).Walk(func(*Record) error { return assert.AnError }), assert.AnError)
}

// Records that lie far from each other are not read for ever.
func TestWalkOfRecordsInDisorder(t *testing.T) {
	order := binary.LittleEndian
	const functions, far = 20_000, 8 << 20
	data := append(tableOf(Go120, order, 8, functions), make([]byte, far)...)
	list := order.Uint64(data[64:])
	for i := uint64(0); i < functions; i += 2 {
		order.PutUint32(data[list+8*i+4:], far)
	}
	err := open(t, data, order).Walk(func(r *Record) error { _, err := r.Field(Name); return err })
	require.ErrorIs(t, err, image.ErrTooLarge)
}

func FuzzTable(f *testing.F) {
	for _, version := range []Version{Go116, Go118, Go120} {
		f.Add(tableOf(version, binary.LittleEndian, 8, 3), uint64(0x1000), uint64(0x1020), false)
	}
	f.Add(tableOf(Go120, binary.BigEndian, 4, 3), uint64(0), uint64(0), true)
	f.Add([]byte("\xfb\xff\xff\xff\x00\x00\x01\x08"+string(make([]byte, 100))), uint64(0), uint64(8), false)
	f.Fuzz(func(t *testing.T, data []byte, text, address uint64, big bool) {
		var order binary.ByteOrder = binary.LittleEndian
		if big {
			order = binary.BigEndian
		}
		table, err := Open(bytes.NewReader(data), int64(len(data)), order)
		if err != nil {
			return
		}
		table.Text = text
		require.Less(t, table.Functions, uint64(len(data)))
		n, last := uint64(0), uint64(0)
		_ = table.Walk(func(r *Record) error {
			require.Less(t, r.Start, r.End)
			require.True(t, n == 0 || r.Start >= last)
			n, last = n+1, r.End
			_, _ = r.Flags()
			_, err := r.Field(Name)
			return err
		})
		require.LessOrEqual(t, n, table.Functions)
		if fn, ok := table.Find(address); ok {
			require.True(t, fn.Start <= address && address < fn.End)
			_, _ = table.Value(fn, Lines, address)
		}
	})
}
