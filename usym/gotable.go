// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// goTable is the table by which the runtime of a Go program names its functions:
// .gopclntab, of Go 1.2 or later. It is read here, and not by debug/gosym, because
// that keeps the whole table and an object for each function.
type goTable struct {
	r     io.ReaderAt // the section
	size  int64
	order binary.ByteOrder
	goHeader
	text uint64 // the address from which functions are counted, 0 before Go 1.18
}

// goHeader is the start of the table. Offsets are those in the table.
type goHeader struct {
	version   goVersion
	quantum   uint32 // program counters are multiples of it
	pointer   int64  // its size
	functions uint64
	textStart uint64 // where runtime.text is, 0 where that is relocated

	funcNames, compileUnits, files, values, data int64
}

// goVersion is the version of Go with which a form of the table began.
type goVersion int

const (
	go12  goVersion = 2
	go116 goVersion = 16
	go118 goVersion = 18
	go120 goVersion = 20
)

var goMagic = map[uint32]goVersion{
	0xfffffffb: go12, 0xfffffffa: go116, 0xfffffff0: go118, 0xfffffff1: go120,
}

var errNoGoTable = errors.New("not a Go function table")

// readGoHeader reads: magic, two zeros, the quantum, the size of a pointer, and then
// words of that size.
func readGoHeader(r io.ReaderAt, order binary.ByteOrder) (goHeader, error) {
	const longest = 8 + 8*8
	data := make([]byte, longest)
	if n, err := r.ReadAt(data, 0); err != nil && (err != io.EOF || n < 24) {
		return goHeader{}, fmt.Errorf("read: %w", err)
	}
	h := goHeader{version: goMagic[order.Uint32(data)], quantum: uint32(data[6]), pointer: int64(data[7])}
	if h.version == 0 || data[4] != 0 || data[5] != 0 ||
		h.quantum != 1 && h.quantum != 2 && h.quantum != 4 || h.pointer != 4 && h.pointer != 8 {
		return goHeader{}, errNoGoTable
	}
	word := func(i int64) uint64 { return pointerIn(order, data[8+i*h.pointer:], h.pointer) }
	h.functions = word(0)
	first := int64(3)
	switch h.version {
	case go12:
		return h, nil // all offsets count from the start, and functions follow
	case go116:
		first = 2
	default:
		h.textStart = word(2)
	}
	for i, to := range []*int64{&h.funcNames, &h.compileUnits, &h.files, &h.values, &h.data} {
		*to = int64(word(first + int64(i)))
		if *to < 0 {
			return goHeader{}, errNoGoTable
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
func (h goHeader) entryField() int64 {
	if h.version >= go118 {
		return 4
	}
	return h.pointer
}

// list is where the list of functions is.
func (h goHeader) list() int64 {
	if h.version == go12 {
		return 8 + h.pointer
	}
	return h.data
}

// field returns where the n-th word of a function's record is; the first is the place
// of the function.
func (h goHeader) field(record int64, n int64) int64 {
	first := int64(4)
	if h.version < go118 {
		first = h.pointer
	}
	return h.data + record + first + (n-1)*4
}

// The words of a function's record.
const (
	goName     = 1
	goFiles    = 5
	goLines    = 6
	goValues   = 7 // how many more tables there are
	goUnit     = 8
	goInlining = 2 // of those more tables, the one for inlined calls
)

// goFunction is one of the list of functions.
type goFunction struct {
	start, end uint64
	name       uint32 // offset in the names
	record     int64
}

// walk calls visit for each function, until it returns an error. The last entry of the
// list is only an end.
func (t *goTable) walk(visit func(goFunction) error) error {
	if t.functions > maxKept {
		return fmt.Errorf("%d functions: %w", t.functions, errTooLarge)
	}
	field := t.entryField()
	// The list is read through one window, the records through another.
	list, records := &window{r: t.r}, &window{r: t.r}
	entry := make([]byte, 3*field)
	for i := range int64(t.functions) {
		if _, err := list.ReadAt(entry, t.list()+i*2*field); err != nil {
			return fmt.Errorf("read function %d: %w", i, err)
		}
		f := goFunction{
			start:  pointerIn(t.order, entry, field) + t.text,
			record: int64(pointerIn(t.order, entry[field:], field)),
			end:    pointerIn(t.order, entry[2*field:], field) + t.text,
		}
		if f.record < 0 || f.record > t.size || f.end < f.start {
			return errNoGoTable
		}
		if f.end == f.start {
			continue // a name for what follows
		}
		name, err := t.word(records, t.field(f.record, goName))
		if err != nil {
			return fmt.Errorf("read the name of function %d: %w", i, err)
		}
		f.name = name
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

func (t *goTable) word(r io.ReaderAt, offset int64) (uint32, error) {
	var b [4]byte
	if _, err := r.ReadAt(b[:], offset); err != nil {
		return 0, err
	}
	return t.order.Uint32(b[:]), nil
}

// golang adds the functions of a Go program by the table of its runtime.
func (b *builder) golang(mapped object) (*goTable, error) {
	section := goSection(mapped.File)
	if section == nil {
		return nil, nil
	}
	whole, err := readNames(section, int64(section.FileSize))
	if err != nil {
		return nil, err
	}
	t := &goTable{r: whole.r, size: int64(section.FileSize), order: mapped.ByteOrder}
	if t.goHeader, err = readGoHeader(t.r, t.order); err != nil {
		return nil, err
	}
	if t.version >= go118 {
		if t.text, err = goText(mapped.File, section, t.goHeader); err != nil {
			return nil, err
		}
	}
	before, source := len(b.functions), b.addNames(mapped, whole)
	err = t.walk(func(f goFunction) error {
		name := uint64(t.funcNames) + uint64(f.name)
		if name >= 1<<32 {
			return errTooLarge
		}
		b.functions = append(b.functions, symbol{
			start: f.start, size: clamp(f.end - f.start), name: uint32(name),
			source: source, binding: uint8(elf.STB_GLOBAL),
		})
		return nil
	})
	if err != nil {
		b.functions = b.functions[:before]
		return nil, err
	}
	return t, nil
}

// goSection returns the table's section, nil if there is none. It is among the data
// that the dynamic linker relocates where a program does not depend on its place.
func goSection(f *elf.File) *elf.Section {
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s := f.Section(name); plain(s) {
			return s
		}
	}
	return nil
}

// window reads r through the last 64 KiB that were asked for.
type window struct {
	r      io.ReaderAt
	offset int64
	data   []byte
}

// ReadAt implements io.ReaderAt for reads that are shorter than the window.
func (w *window) ReadAt(p []byte, offset int64) (int, error) {
	if at := offset - w.offset; at < 0 || at+int64(len(p)) > int64(len(w.data)) {
		buffer := w.data[:cap(w.data)]
		if len(buffer) == 0 {
			buffer = make([]byte, 64<<10)
		}
		n, err := w.r.ReadAt(buffer, offset)
		w.offset, w.data = offset, buffer[:n]
		if n < len(p) {
			return copy(p, w.data), orUnexpectedEOF(err)
		}
	}
	return copy(p, w.data[offset-w.offset:]), nil
}

func orUnexpectedEOF(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

// maxValues bounds the table of values of one function that is walked, in bytes.
const maxValues = 1 << 20

// line returns the source of the instruction at address, "" and 0 if it is not known
// or belongs to a call that was inlined there: what calls it is not in this table's
// reach.
func (t *goTable) line(address uint64) (file string, line int) {
	if t.version < go116 {
		return "", 0
	}
	f, ok := t.find(address)
	if !ok || t.inlined(f, address) {
		return "", 0
	}
	n, ok := t.value(f, t.field(f.record, goLines), address)
	if !ok || n <= 0 {
		return "", 0
	}
	number, ok := t.value(f, t.field(f.record, goFiles), address)
	if !ok || number < 0 {
		return "", 0
	}
	unit, err := t.word(t.r, t.field(f.record, goUnit))
	if err != nil {
		return "", 0
	}
	at, err := t.word(t.r, t.compileUnits+4*(int64(unit)+int64(number)))
	if err != nil || at == 1<<32-1 {
		return "", 0
	}
	file = names{r: io.NewSectionReader(t.r, t.files, t.size)}.at(at)
	if file == "" {
		return "", 0
	}
	return file, int(n)
}

// find returns the function that has address.
func (t *goTable) find(address uint64) (goFunction, bool) {
	field := t.entryField()
	entry := make([]byte, 3*field)
	read := func(i int64) (goFunction, bool) {
		if _, err := t.r.ReadAt(entry, t.list()+i*2*field); err != nil {
			return goFunction{}, false
		}
		return goFunction{
			start:  pointerIn(t.order, entry, field) + t.text,
			record: int64(pointerIn(t.order, entry[field:], field)),
			end:    pointerIn(t.order, entry[2*field:], field) + t.text,
		}, true
	}
	low, high := int64(0), int64(t.functions)
	for low < high {
		middle := low + (high-low)/2
		f, ok := read(middle)
		switch {
		case !ok:
			return goFunction{}, false
		case address < f.start:
			high = middle
		case address >= f.end:
			low = middle + 1
		default:
			return f, f.record >= 0 && f.record <= t.size
		}
	}
	return goFunction{}, false
}

// inlined reports whether the instruction at address comes from an inlined call.
func (t *goTable) inlined(f goFunction, address uint64) bool {
	count, err := t.word(t.r, t.field(f.record, goValues))
	if err != nil || count <= goInlining {
		return false
	}
	// Four bytes of small numbers are between, and since 1.20 the line of the start.
	first := int64(goUnit + 2)
	if t.version >= go120 {
		first++
	}
	index, ok := t.value(f, t.field(f.record, first+goInlining), address)
	return ok && index >= 0
}

// value returns what a table of values has for address; where is the word that says
// where the table is. The table is pairs of a difference of values, zigzag, and a
// difference of addresses.
func (t *goTable) value(f goFunction, where int64, address uint64) (int32, bool) {
	offset, err := t.word(t.r, where)
	if err != nil || offset == 0 {
		return 0, false
	}
	in := bufio.NewReaderSize(io.NewSectionReader(t.r, t.values+int64(offset), maxValues), 256)
	value, pc := int32(-1), f.start
	for first := true; ; first = false {
		difference, err := binary.ReadUvarint(in)
		if err != nil || difference == 0 && !first {
			return 0, false
		}
		step, err := binary.ReadUvarint(in)
		if err != nil {
			return 0, false
		}
		value += int32(uint32(difference)>>1) ^ -int32(difference&1)
		pc += step * uint64(t.quantum)
		if address < pc {
			return value, true
		}
	}
}
