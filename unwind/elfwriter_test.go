// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

const headerBytes, sectionBytes, progBytes = 64, 64, 56

// part is a section that elfWith writes.
type part struct {
	name  string
	addr  uint64
	flags elf.SectionFlag
	data  []byte
}

// elfWith returns an ELF file of these sections. Those that have an address are each
// in a segment of their own.
func elfWith(t testing.TB, parts ...part) []byte {
	t.Helper()
	const most = 8 // segments
	body := make([]byte, headerBytes+most*progBytes)
	var progs []elf.Prog64
	names := []byte{0}
	sections := []elf.Section64{{}}
	for _, p := range append(parts, part{name: ".shstrtab"}) {
		s := elf.Section64{Name: uint32(len(names)), Type: uint32(elf.SHT_PROGBITS), Flags: uint64(p.flags), Addr: p.addr}
		names = append(append(names, p.name...), 0)
		if p.name == ".shstrtab" {
			p.data, s.Type = names, uint32(elf.SHT_STRTAB)
		}
		s.Off, s.Size = uint64(len(body)), uint64(len(p.data))
		body = append(body, p.data...)
		sections = append(sections, s)
		if p.addr != 0 {
			flags := elf.PF_R
			if p.flags&elf.SHF_EXECINSTR != 0 {
				flags |= elf.PF_X
			}
			progs = append(progs, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(flags),
				Off: s.Off, Vaddr: s.Addr, Filesz: s.Size, Memsz: s.Size})
		}
	}
	require.LessOrEqual(t, len(progs), most)
	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1,
		Phoff: headerBytes, Phentsize: progBytes, Phnum: uint16(len(progs)),
		Shoff: uint64(len(body)), Shentsize: sectionBytes, Shnum: uint16(len(sections)), Shstrndx: uint16(len(sections) - 1),
	}
	copy(h.Ident[:], []byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1})
	copy(body, encode(t, h))
	copy(body[headerBytes:], encode(t, progs))
	return append(body, encode(t, sections)...)
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, binary.Write(&b, order, v))
	return b.Bytes()
}
