// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"encoding/binary"
	"io"

	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/image/gopcln"
)

// goTable is the table by which the runtime of a Go program names its functions.
type goTable struct {
	*gopcln.Table
	files names
}

// golang adds the functions of a Go program by the table of its runtime.
func (b *builder) golang(mapped object) (*goTable, error) {
	section := goSection(mapped.ELF)
	if section == nil {
		return nil, nil
	}
	whole, err := readNames(section, int64(section.FileSize))
	if err != nil {
		return nil, err
	}
	t, err := openGoTable(whole.r, int64(section.FileSize), mapped.ByteOrder)
	if err != nil {
		return nil, err
	}
	if t.Version >= gopcln.Go118 {
		if t.Text, err = goText(mapped.ELF, section, t.Header); err != nil {
			return nil, err
		}
	}
	before, source := len(b.functions), b.addNames(mapped, whole)
	err = t.Walk(func(r *gopcln.Record) error {
		offset, err := r.Field(gopcln.Name)
		if err != nil {
			return err
		}
		name := uint64(t.Names) + uint64(offset)
		if name >= 1<<32 {
			return image.ErrTooLarge
		}
		b.functions = append(b.functions, symbol{
			start: r.Start, size: clamp(r.End - r.Start), name: uint32(name),
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

func openGoTable(r io.ReaderAt, size int64, order binary.ByteOrder) (*goTable, error) {
	t, err := gopcln.Open(r, size, order)
	if err != nil {
		return nil, err
	}
	return &goTable{Table: t, files: names{r: io.NewSectionReader(r, t.Files, size)}}, nil
}

// goSection returns the table's section, nil if there is none. It is among the data
// that the dynamic linker relocates where a program does not depend on its place.
func goSection(f *image.ELF) *image.Section {
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s := f.Section(name); plain(s) {
			return s
		}
	}
	return nil
}

// line returns the source of the instruction at address, "" and 0 if it is not known
// or belongs to a call that was inlined there: what calls it is not in this table's
// reach.
func (t *goTable) line(address uint64) (file string, line int) {
	if t.Version < gopcln.Go116 {
		return "", 0
	}
	f, ok := t.Find(address)
	if !ok || t.inlined(f, address) {
		return "", 0
	}
	n, ok := t.Value(f, gopcln.Lines, address)
	if !ok || n <= 0 {
		return "", 0
	}
	number, ok := t.Value(f, gopcln.FileNumbers, address)
	if !ok || number < 0 {
		return "", 0
	}
	unit, err := t.Field(f, gopcln.Unit)
	if err != nil {
		return "", 0
	}
	at, ok := t.File(unit, number)
	if !ok {
		return "", 0
	}
	if file = t.files.at(at); file == "" {
		return "", 0
	}
	return file, int(n)
}

// inlined reports whether the instruction at address comes from an inlined call.
func (t *goTable) inlined(f gopcln.Function, address uint64) bool {
	const inlining = 2 // of the further tables, the one for inlined calls
	count, err := t.Field(f, gopcln.Tables)
	if err != nil || count <= inlining {
		return false
	}
	index, ok := t.Value(f, t.Further(inlining), address)
	return ok && index >= 0
}
