// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"iter"
)

// elfSymbol is the part of an Elf32_Sym or Elf64_Sym that names a function. The
// tables are walked here and not by elf.File.Symbols because that copies every name,
// so that a small file with one long name used by all symbols takes terabytes.
type elfSymbol struct {
	name        uint32
	info        byte
	section     elf.SectionIndex
	value, size uint64
}

func (s elfSymbol) isFunction() bool {
	kind := elf.ST_TYPE(s.info)
	return kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC
}

// symbolsOf walks a symbol table in the class and byte order of f. A rest shorter
// than a symbol is left out.
func symbolsOf(f *elf.File, data []byte) iter.Seq[elfSymbol] {
	step, decode := elf.Sym64Size, decode64
	if f.Class == elf.ELFCLASS32 {
		step, decode = elf.Sym32Size, decode32
	}
	return func(yield func(elfSymbol) bool) {
		for ; len(data) >= step; data = data[step:] {
			if !yield(decode(f, data)) {
				return
			}
		}
	}
}

func decode64(f *elf.File, b []byte) elfSymbol {
	return elfSymbol{
		name:    f.ByteOrder.Uint32(b),
		info:    b[4],
		section: elf.SectionIndex(f.ByteOrder.Uint16(b[6:])),
		value:   f.ByteOrder.Uint64(b[8:]),
		size:    f.ByteOrder.Uint64(b[16:]),
	}
}

func decode32(f *elf.File, b []byte) elfSymbol {
	return elfSymbol{
		name:    f.ByteOrder.Uint32(b),
		value:   uint64(f.ByteOrder.Uint32(b[4:])),
		size:    uint64(f.ByteOrder.Uint32(b[8:])),
		info:    b[12],
		section: elf.SectionIndex(f.ByteOrder.Uint16(b[14:])),
	}
}
