// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"
	"unsafe"

	"github.com/os2026/ebpf-rca/image"
)

// table is the symbols of one kind of an ELF file and of what belongs to it.
type table struct {
	symbols []symbol // by start, one for each
	sources []names
}

// symbol covers [start, start+size) of the addresses given by the linker.
type symbol struct {
	start   uint64
	size    uint32 // the largest for what is larger
	name    uint32 // offset in the source's names
	source  uint16
	binding uint8
}

func (s symbol) contains(address uint64) bool {
	return address >= s.start && address-s.start < uint64(s.size)
}

// bytes is the memory that the symbols take, without their names.
func (t *table) bytes() int64 {
	return int64(cap(t.symbols)) * int64(unsafe.Sizeof(symbol{}))
}

// nesting is how many symbols that begin inside another are looked behind to find it.
const nesting = 64

// find returns the innermost symbol that covers address.
func (t *table) find(address uint64) (symbol, bool) {
	i, exact := slices.BinarySearchFunc(t.symbols, address, func(s symbol, a uint64) int {
		return cmp.Compare(s.start, a)
	})
	if exact {
		i++
	}
	for j := i - 1; j >= 0 && j >= i-nesting; j-- {
		if t.symbols[j].contains(address) {
			return t.symbols[j], true
		}
	}
	return symbol{}, false
}

// text returns the name of s and what is to follow it.
func (t *table) text(s symbol) (name, suffix string) {
	source := t.sources[s.source]
	return withoutVersion(source.at(s.name)), source.suffix
}

// maxAliases is how many names of one address are compared.
const maxAliases = 64

// index sorts the symbols and keeps the best of those that begin together.
func (t *table) index() {
	slices.SortStableFunc(t.symbols, func(a, b symbol) int { return cmp.Compare(a.start, b.start) })
	kept := 0
	for i := 0; i < len(t.symbols); {
		end := i + 1
		for end < len(t.symbols) && t.symbols[end].start == t.symbols[i].start {
			end++
		}
		t.symbols[kept] = t.best(t.symbols[i:end])
		kept++
		i = end
	}
	t.symbols = slices.Clip(slices.Clone(t.symbols[:kept]))
}

func (t *table) best(aliases []symbol) symbol {
	if len(aliases) == 1 {
		return aliases[0]
	}
	aliases = aliases[:min(len(aliases), maxAliases)]
	best, bestName := aliases[0], t.rankName(aliases[0])
	for _, s := range aliases[1:] {
		if name := t.rankName(s); preference(s, name, best, bestName) < 0 {
			best, bestName = s, name
		}
	}
	return best
}

// rankName is as much of a name as is compared with others.
func (t *table) rankName(s symbol) string {
	const limit = 128
	return withoutVersion(t.sources[s.source].read(s.name, limit))
}

// preference puts first what is better known by: a symbol that has a size, a name with
// fewer leading underscores, a symbol of other files over a local one, the larger, and
// the first by alphabet. So pthread_mutex_lock goes before __pthread_mutex_lock.
func preference(a symbol, x string, b symbol, y string) int {
	return cmp.Or(
		cmp.Compare(unsized(a), unsized(b)),
		cmp.Compare(underscores(x), underscores(y)),
		cmp.Compare(local(a), local(b)),
		-cmp.Compare(a.size, b.size),
		cmp.Compare(x, y),
	)
}

func unsized(s symbol) int {
	if s.size == 0 {
		return 1
	}
	return 0
}

// underscores counts the leading ones. In the vDSO, whose functions have the names of
// those of the C library as well, they are part of the name.
func underscores(name string) int {
	if strings.HasPrefix(name, "__vdso_") || strings.HasPrefix(name, "__kernel_") {
		return 0
	}
	// glibc calls its own functions by aliases with this in front.
	const internal = "__GI_"
	if rest, ok := strings.CutPrefix(name, internal); ok {
		return len(internal) + underscores(rest)
	}
	return len(name) - len(strings.TrimLeft(name, "_"))
}

func local(s symbol) int {
	if elf.SymBind(s.binding) == elf.STB_LOCAL {
		return 1
	}
	return 0
}

// bound gives symbols without a size, which are written in assembly, the room up to
// the next one, but not past the end of their section. In a file that may have
// functions without a symbol only their first byte is known to be theirs.
func (t *table) bound(sections []*image.Section, complete bool) {
	for i := range t.symbols {
		s := &t.symbols[i]
		if s.size != 0 {
			continue
		}
		room := sectionEnd(sections, s.start) - s.start
		if i+1 < len(t.symbols) {
			room = min(room, t.symbols[i+1].start-s.start)
		}
		if !complete {
			room = min(room, 1)
		}
		s.size = clamp(room)
	}
}

func clamp(size uint64) uint32 { return uint32(min(size, 1<<32-1)) }

// sectionEnd returns where the code section that contains address ends, address
// itself if there is none.
func sectionEnd(sections []*image.Section, address uint64) uint64 {
	for _, s := range sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Addr <= address && address-s.Addr < s.Size {
			return s.Addr + s.Size
		}
	}
	return address
}
