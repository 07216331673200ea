// SPDX-License-Identifier: Apache-2.0

package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Bounds of the tables of an ELF file. One that is all headers takes some 10 MB.
const (
	maxSections = 1 << 14
	maxSegments = 1 << 12
)

// readHeader reads the first header, in the form that 64-bit files have.
func readHeader(r io.ReaderAt, size int64) (*ELF, elf.Header64, error) {
	f := &ELF{ReaderAt: io.NewSectionReader(r, 0, max(size, 0)), size: uint64(max(size, 0))}
	var h elf.Header64
	ident := h.Ident[:]
	if err := readFull(f, ident, 0); errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, h, ErrNotELF
	} else if err != nil {
		return nil, h, err
	}
	f.Class, f.Data = elf.Class(ident[elf.EI_CLASS]), elf.Data(ident[elf.EI_DATA])
	switch f.Data {
	case elf.ELFDATA2LSB:
		f.ByteOrder = binary.LittleEndian
	case elf.ELFDATA2MSB:
		f.ByteOrder = binary.BigEndian
	}
	step := map[elf.Class]uint16{elf.ELFCLASS32: 52, elf.ELFCLASS64: 64}[f.Class]
	if !bytes.HasPrefix(ident, []byte(elf.ELFMAG)) || f.ByteOrder == nil || step == 0 {
		return nil, h, ErrNotELF
	}
	headers, err := readTable(f, table{count: 1, step: step, most: 1}, widenHeader)
	if err != nil {
		return nil, h, err
	}
	h = headers[0]
	f.Version, f.OSABI, f.ABIVersion = elf.Version(h.Ident[elf.EI_VERSION]), elf.OSABI(h.Ident[elf.EI_OSABI]), h.Ident[elf.EI_ABIVERSION]
	f.Type, f.Machine, f.Entry = elf.Type(h.Type), elf.Machine(h.Machine), h.Entry
	return f, h, nil
}

func widenHeader(h elf.Header32) elf.Header64 {
	return elf.Header64{
		Ident: h.Ident, Type: h.Type, Machine: h.Machine, Version: h.Version,
		Entry: uint64(h.Entry), Phoff: uint64(h.Phoff), Shoff: uint64(h.Shoff), Flags: h.Flags,
		Ehsize: h.Ehsize, Phentsize: h.Phentsize, Phnum: h.Phnum,
		Shentsize: h.Shentsize, Shnum: h.Shnum, Shstrndx: h.Shstrndx,
	}
}

// table is where a table of headers is said to be.
type table struct {
	offset, count uint64
	step          uint16 // bytes of a header
	most          uint64 // headers
}

// readTable reads a table of headers in the form that 64-bit files have.
func readTable[Narrow, Wide any](f *ELF, t table, widen func(Narrow) Wide) ([]Wide, error) {
	if f.Class == elf.ELFCLASS64 {
		return decodeTable[Wide](f, t)
	}
	narrow, err := decodeTable[Narrow](f, t)
	if err != nil {
		return nil, err
	}
	wide := make([]Wide, len(narrow))
	for i, n := range narrow {
		wide[i] = widen(n)
	}
	return wide, nil
}

func decodeTable[T any](f *ELF, t table) ([]T, error) {
	var one T
	step := uint64(binary.Size(one))
	switch {
	case t.count == 0:
		return nil, nil
	case t.count > t.most:
		return nil, fmt.Errorf("%d headers: %w", t.count, ErrTooLarge)
	case uint64(t.step) != step:
		return nil, fmt.Errorf("headers of %d bytes, not %d", t.step, step)
	}
	raw, err := f.Range(t.offset, t.count*step, t.most*step)
	if err != nil {
		return nil, err
	}
	headers := make([]T, t.count)
	_, err = binary.Decode(raw, f.ByteOrder, headers)
	return headers, err
}

func (f *ELF) readSegments(h elf.Header64) error {
	headers, err := readTable(f, table{h.Phoff, uint64(h.Phnum), h.Phentsize, maxSegments}, widenSegment)
	if err != nil {
		return err
	}
	f.Progs = make([]*elf.Prog, len(headers))
	for i, p := range headers {
		f.Progs[i] = &elf.Prog{ProgHeader: elf.ProgHeader{
			Type: elf.ProgType(p.Type), Flags: elf.ProgFlag(p.Flags), Off: p.Off,
			Vaddr: p.Vaddr, Paddr: p.Paddr, Filesz: p.Filesz, Memsz: p.Memsz, Align: p.Align,
		}}
	}
	return nil
}

func widenSegment(p elf.Prog32) elf.Prog64 {
	return elf.Prog64{
		Type: p.Type, Flags: p.Flags, Off: uint64(p.Off), Vaddr: uint64(p.Vaddr), Paddr: uint64(p.Paddr),
		Filesz: uint64(p.Filesz), Memsz: uint64(p.Memsz), Align: uint64(p.Align),
	}
}
