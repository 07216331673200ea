// SPDX-License-Identifier: Apache-2.0

package image

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"math"
)

const maxSectionName = 128

// Section is a section of an ELF file. Size is what its header claims, FileSize the
// same, but zero where no file can have the bytes.
type Section struct {
	elf.SectionHeader
	// The bytes as they are in the file; for what has none there, those are of no use.
	io.ReaderAt
	file *ELF
}

// Bytes returns what the section holds, unpacked if it is compressed; or an error that
// wraps ErrTooLarge if that is more than most bytes.
func (s *Section) Bytes(most uint64) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS {
		return nil, io.ErrUnexpectedEOF
	}
	if s.Compressed() {
		return s.unpack(most)
	}
	return s.file.Range(s.Offset, s.Size, most)
}

func (f *ELF) readSections(h elf.Header64) error {
	if h.Shoff == 0 {
		return nil
	}
	at := table{h.Shoff, uint64(h.Shnum), h.Shentsize, maxSections}
	names := uint32(h.Shstrndx)
	if h.Shnum == 0 || names == uint32(elf.SHN_XINDEX) {
		// There are so many that the first, which is empty, says how many.
		first, err := readTable(f, table{h.Shoff, 1, h.Shentsize, 1}, widenSection)
		if err != nil {
			return err
		}
		if h.Shnum == 0 {
			at.count = first[0].Size
		}
		if names == uint32(elf.SHN_XINDEX) {
			names = first[0].Link
		}
	}
	headers, err := readTable(f, at, widenSection)
	if err != nil {
		return err
	}
	f.Sections = make([]*Section, len(headers))
	for i, s := range headers {
		f.Sections[i] = f.newSection(s)
	}
	return f.nameSections(headers, names)
}

func widenSection(s elf.Section32) elf.Section64 {
	return elf.Section64{
		Name: s.Name, Type: s.Type, Flags: uint64(s.Flags), Addr: uint64(s.Addr), Off: uint64(s.Off), Size: uint64(s.Size),
		Link: s.Link, Info: s.Info, Addralign: uint64(s.Addralign), Entsize: uint64(s.Entsize),
	}
}

func (f *ELF) newSection(h elf.Section64) *Section {
	s := &Section{file: f, SectionHeader: elf.SectionHeader{
		Type: elf.SectionType(h.Type), Flags: elf.SectionFlag(h.Flags), Addr: h.Addr, Offset: h.Off, Size: h.Size,
		Link: h.Link, Info: h.Info, Addralign: h.Addralign, Entsize: h.Entsize,
	}}
	if s.Offset <= math.MaxInt64 && s.Size <= math.MaxInt64-s.Offset {
		s.FileSize = s.Size
	}
	s.ReaderAt = io.NewSectionReader(f.ReaderAt, int64(s.Offset), int64(s.FileSize))
	return s
}

// nameSections gives the sections their names, as far as they have one.
func (f *ELF) nameSections(headers []elf.Section64, index uint32) error {
	if index == 0 || uint64(index) >= uint64(len(f.Sections)) {
		return nil
	}
	text := f.Sections[index]
	if text.Type != elf.SHT_STRTAB || text.Compressed() {
		return errors.New("their names are not a table of strings")
	}
	for i, s := range f.Sections {
		s.Name = nameAt(text, headers[i].Name)
	}
	return nil
}

func nameAt(text io.ReaderAt, offset uint32) string {
	var name [maxSectionName]byte
	n, _ := text.ReadAt(name[:], int64(offset)) // a short name may be near the end
	return string(name[:max(bytes.IndexByte(name[:n], 0), 0)])
}
