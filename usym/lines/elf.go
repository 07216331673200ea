// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
)

var errNotELF = errors.New("not an ELF file with addresses")

// elfFile is an ELF file whose class and byte order are known. Its headers are read here
// and not by elf.NewFile because that copies the name of each section, so that a small
// file with one long name used by all sections takes gigabytes.
type elfFile struct {
	io.ReaderAt
	size  int64
	order binary.ByteOrder
	wide  bool // 64 bits
}

// header returns how many sections there are, where their headers start, and which of
// them has the names.
func (f *elfFile) header() (start uint64, count, names uint32, err error) {
	var h elf.Header64
	if f.wide {
		err = f.read(0, &h)
	} else {
		var narrow elf.Header32
		err = f.read(0, &narrow)
		h.Type, h.Shoff = narrow.Type, uint64(narrow.Shoff)
		h.Shentsize, h.Shnum, h.Shstrndx = narrow.Shentsize, narrow.Shnum, narrow.Shstrndx
	}
	if err != nil {
		return 0, 0, 0, err
	}
	if kind := elf.Type(h.Type); kind != elf.ET_EXEC && kind != elf.ET_DYN {
		return 0, 0, 0, errNotELF
	}
	if h.Shoff == 0 || int(h.Shentsize) != f.entrySize() {
		return 0, 0, 0, ErrNone
	}
	count, names = uint32(h.Shnum), uint32(h.Shstrndx)
	if count == 0 || names == uint32(elf.SHN_XINDEX) {
		// There are so many that the first, which is empty, says how many.
		first, err := f.section(h.Shoff, 0)
		if err != nil {
			return 0, 0, 0, err
		}
		if count == 0 {
			count = uint32(min(first.Size, maxSections+1))
		}
		if names == uint32(elf.SHN_XINDEX) {
			names = first.Link
		}
	}
	return h.Shoff, count, names, nil
}

func (f *elfFile) entrySize() int {
	if f.wide {
		return 64
	}
	return 40
}

// section reads the header of section i.
func (f *elfFile) section(start uint64, i uint32) (elf.Section64, error) {
	at := start + uint64(i)*uint64(f.entrySize())
	if f.wide {
		var s elf.Section64
		return s, f.read(at, &s)
	}
	var s elf.Section32
	err := f.read(at, &s)
	return elf.Section64{
		Name: s.Name, Type: s.Type, Flags: uint64(s.Flags), Addr: uint64(s.Addr), Off: uint64(s.Off),
		Size: uint64(s.Size), Link: s.Link, Info: s.Info,
	}, err
}

func (f *elfFile) read(at uint64, to any) error {
	size := binary.Size(to)
	if at > uint64(f.size) || uint64(size) > uint64(f.size)-at {
		return io.ErrUnexpectedEOF
	}
	data := make([]byte, size)
	if err := readFull(f, data, int64(at)); err != nil {
		return err
	}
	_, err := binary.Decode(data, f.order, to)
	return err
}

// bytes returns a section as it is in the file.
func (f *elfFile) bytes(s elf.Section64) (*io.SectionReader, error) {
	if elf.SectionType(s.Type) == elf.SHT_NOBITS || s.Off > uint64(f.size) || s.Size > uint64(f.size)-s.Off {
		return nil, io.ErrUnexpectedEOF
	}
	return io.NewSectionReader(f, int64(s.Off), int64(s.Size)), nil
}

func openELF(r io.ReaderAt, size int64) (*elfFile, error) {
	var ident [elf.EI_NIDENT]byte
	if n, _ := r.ReadAt(ident[:], 0); n < len(ident) || !bytes.HasPrefix(ident[:], []byte(elf.ELFMAG)) {
		return nil, errNotELF
	}
	f := &elfFile{ReaderAt: r, size: size, order: binary.LittleEndian}
	switch elf.Data(ident[elf.EI_DATA]) {
	case elf.ELFDATA2LSB:
	case elf.ELFDATA2MSB:
		f.order = binary.BigEndian
	default:
		return nil, errNotELF
	}
	f.wide = elf.Class(ident[elf.EI_CLASS]) == elf.ELFCLASS64
	return f, nil
}

func (f *elfFile) nameTable(start uint64, count, index uint32) ([]byte, error) {
	if index >= count {
		return nil, ErrNone
	}
	h, err := f.section(start, index)
	if err != nil {
		return nil, err
	}
	if h.Size > maxNameTable {
		return nil, ErrTooLarge
	}
	r, err := f.bytes(h)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// debugName returns what follows ".debug_" in a name, empty if it has another, and
// whether the section is compressed in the way that has a name of its own.
func debugName(names []byte, at uint32) (name string, old bool) {
	if uint64(at) >= uint64(len(names)) {
		return "", false
	}
	names = names[at:]
	if names = names[:min(len(names), 32)]; bytes.IndexByte(names, 0) < 0 {
		return "", false
	}
	names = names[:bytes.IndexByte(names, 0)]
	if rest, ok := bytes.CutPrefix(names, []byte(".zdebug_")); ok {
		return string(rest), true
	}
	rest, ok := bytes.CutPrefix(names, []byte(".debug_"))
	if !ok {
		return "", false
	}
	return string(rest), false
}
