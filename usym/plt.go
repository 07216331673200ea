// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/os2026/ebpf-rca/image"
)

const (
	// maxPLT is the largest section of stubs that is read: 256 Ki of them.
	maxPLT = 4 << 20
	// maxRelocations bounds the relocation tables that are read, at 96 MiB.
	maxRelocations = 4 << 20
)

// relaSize is that of an Elf64_Rela: offset, info, addend.
const relaSize = 24

// plt adds the stubs through which an x86-64 program calls other files. Each jumps by
// a slot of the global offset table, and the relocation of that slot has the name. A
// slot that a resolver in the same file fills (IRELATIVE) has none.
func (b *builder) plt(f object) error {
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return nil
	}
	stubs, err := findStubs(f.ELF)
	if err != nil || len(stubs) == 0 {
		return err
	}
	slots := make(map[uint64][]symbol, len(stubs))
	for _, s := range stubs {
		slots[s.slot] = append(slots[s.slot], symbol{start: s.start, size: s.size})
	}
	for _, section := range f.Sections {
		if section.Type != elf.SHT_RELA || !plain(section) || section.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		if err := b.nameStubs(f, section, slots); err != nil {
			return fmt.Errorf("%s: %w", section.Name, err)
		}
	}
	return nil
}

// stub is a few instructions that end in a jump to where slot points.
type stub struct {
	start, slot uint64
	size        uint32
}

func findStubs(f *image.ELF) ([]stub, error) {
	var stubs []stub
	for _, s := range f.Sections {
		if s.Name != ".plt" && !strings.HasPrefix(s.Name, ".plt.") || !plain(s) {
			continue
		}
		code, err := s.Bytes(maxPLT)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.Name, err)
		}
		stubs = append(stubs, decodeStubs(code, s.Addr, stubSize(s))...)
	}
	return stubs, nil
}

// stubSize is 8 for stubs that need no lazy binding, as in .plt.got, else 16.
func stubSize(s *image.Section) uint64 {
	if s.Entsize == 8 || s.Addralign == 8 {
		return 8
	}
	return 16
}

func decodeStubs(code []byte, address, step uint64) []stub {
	var stubs []stub
	for ; uint64(len(code)) >= step; code, address = code[step:], address+step {
		end, displacement, ok := indirectJump(code[:step])
		if ok {
			slot := address + end + uint64(int64(displacement))
			stubs = append(stubs, stub{start: address, size: uint32(step), slot: slot})
		}
	}
	return stubs
}

// indirectJump decodes [endbr64] [bnd] jmp *displacement(%rip) and returns where it
// ends. The first stub of a .plt begins with a push and is none.
func indirectJump(code []byte) (end uint64, displacement int32, ok bool) {
	rest := strings.TrimPrefix(string(code), "\xf3\x0f\x1e\xfa")
	rest = strings.TrimPrefix(rest, "\xf2")
	if len(rest) < 6 || rest[:2] != "\xff\x25" {
		return 0, 0, false
	}
	end = uint64(len(code) - len(rest) + 6)
	return end, int32(binary.LittleEndian.Uint32([]byte(rest[2:6]))), true
}

// nameStubs adds the stubs whose slots are filled by the relocations of a section.
func (b *builder) nameStubs(f object, section *image.Section, slots map[uint64][]symbol) error {
	dynamic := linked(f.ELF, section)
	if dynamic == nil || dynamic.Type != elf.SHT_DYNSYM {
		return nil
	}
	text := linked(f.ELF, dynamic)
	if text == nil {
		return errors.New("no string table")
	}
	source, made := uint16(0), false
	entry := make([]byte, elf.Sym64Size)
	return walkRelocations(f.ELF, section, func(r relocation) error {
		stubs := slots[r.offset]
		if len(stubs) == 0 || r.kind != elf.R_X86_64_JMP_SLOT && r.kind != elf.R_X86_64_GLOB_DAT {
			return nil
		}
		delete(slots, r.offset)
		if _, err := dynamic.ReadAt(entry, int64(r.symbol)*elf.Sym64Size); err != nil || r.symbol == 0 {
			return nil // a relocation that names no symbol
		}
		if !made {
			var err error
			if source, err = b.source(f, text, "@plt"); err != nil {
				return err
			}
			made = true
		}
		for _, s := range stubs {
			s.name, s.source, s.binding = f.ByteOrder.Uint32(entry), source, uint8(elf.STB_GLOBAL)
			b.functions = append(b.functions, s)
		}
		return nil
	})
}

// relocation is an Elf64_Rela.
type relocation struct {
	offset, addend uint64
	kind           elf.R_X86_64
	symbol         uint32
}

// walkRelocations calls visit for each relocation of a section, until it returns an
// error.
func walkRelocations(f *image.ELF, section *image.Section, visit func(relocation) error) error {
	if section.FileSize > maxRelocations*relaSize {
		return fmt.Errorf("%d bytes of relocations: %w", section.FileSize, image.ErrTooLarge)
	}
	buffer := make([]byte, 4096*relaSize)
	for offset := int64(0); offset < int64(section.FileSize); offset += int64(len(buffer)) {
		n, err := section.ReadAt(buffer, offset)
		for data := buffer[:n]; len(data) >= relaSize; data = data[relaSize:] {
			info := f.ByteOrder.Uint64(data[8:])
			if err := visit(relocation{
				offset: f.ByteOrder.Uint64(data), addend: f.ByteOrder.Uint64(data[16:]),
				kind: elf.R_X86_64(uint32(info)), symbol: uint32(info >> 32),
			}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read relocations: %w", err)
		}
	}
	return nil
}
