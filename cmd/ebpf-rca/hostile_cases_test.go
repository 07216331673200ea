// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
)

// A hostile case is a file, or what lies around it, that says what is not so.

// forgeries are what may be done to a program before it runs: the kernel and the
// dynamic linker go by its segments.
var forgeries = map[string]func(t *testing.T, f *forgery, dir string){
	"sections that overlap": func(_ *testing.T, f *forgery, _ string) {
		for i := range f.sections {
			f.sections[i].Off, f.sections[i].Size = 0, uint64(len(f.body))
		}
	},
	"sections longer than any file": func(_ *testing.T, f *forgery, _ string) {
		for i := range f.sections {
			f.sections[i].Size = 1 << (i%32 + 32)
		}
	},
	"sections beyond any file": func(_ *testing.T, f *forgery, _ string) {
		for i := range f.sections {
			f.sections[i].Off = math.MaxUint64 >> (i % 8)
		}
	},
	"entries of no size": func(_ *testing.T, f *forgery, _ string) {
		for i := range f.sections {
			f.sections[i].Entsize, f.sections[i].Addralign = 0, 0
		}
	},
	"sections linked in circles": func(_ *testing.T, f *forgery, _ string) {
		for i := range f.sections {
			f.sections[i].Link = uint32(i)
			f.sections[i].Type = []uint32{uint32(elf.SHT_SYMTAB), uint32(elf.SHT_DYNSYM), uint32(elf.SHT_RELA)}[i%3]
		}
	},
	"ten million symbols": func(_ *testing.T, f *forgery, _ string) {
		f.setHole(".symtab", 10_000_000*elf.Sym64Size)
	},
	"as many symbols as are kept": func(_ *testing.T, f *forgery, _ string) {
		const count = 1<<20 - 1
		text, data := f.section(".text").Addr, f.index(".data")
		symbols := make([]byte, 0, 2*count*elf.Sym64Size)
		for i := range uint64(count) {
			symbols = appendSymbol(symbols, uint32(i%1024), elf.STT_FUNC, 1, text+i%4096, 1+i%7)
			symbols = appendSymbol(symbols, uint32(i%1024), elf.STT_OBJECT, uint16(data), i*8, 8)
		}
		f.set(".symtab", symbols)
	},
	"names without an end": func(_ *testing.T, f *forgery, _ string) {
		f.set(".strtab", bytes.Repeat([]byte("_ZN"), 4<<20))
		f.set(".dynstr", bytes.Repeat([]byte("A"), 4<<20))
	},
	"mangled names that grow": func(_ *testing.T, f *forgery, _ string) {
		f.set(".strtab", []byte("_Z1f"+strings.Repeat("I", 500)+strings.Repeat("S_", 1000)+strings.Repeat("E", 500)+"\x00"))
		raw := f.section(".symtab")
		symbols := f.body[raw.Off:][:raw.Size]
		for ; len(symbols) >= elf.Sym64Size; symbols = symbols[elf.Sym64Size:] {
			le.PutUint32(symbols, 0)
		}
	},
	"one long name for all sections": func(_ *testing.T, f *forgery, _ string) {
		last := uint32(len(f.names))
		f.names = append(f.names, bytes.Repeat([]byte("N"), 8<<20)...)
		f.names = append(f.names, 0)
		for range 20_000 {
			f.sections = append(f.sections, elf.Section64{Name: last, Type: uint32(elf.SHT_PROGBITS)})
		}
	},
	"unwind entries in circles": func(_ *testing.T, f *forgery, _ string) {
		f.set(".eh_frame", circularFrames())
	},
	"millions of unwind entries": func(_ *testing.T, f *forgery, _ string) {
		s := f.section(".eh_frame")
		text := f.section(".text")
		f.set(".eh_frame", manyFrames(2<<20-1, text.Addr, text.Size)).Addr = s.Addr
	},
	"as many unwind entries as are kept": func(_ *testing.T, f *forgery, _ string) {
		s := f.section(".eh_frame")
		text := f.section(".text")
		f.set(".eh_frame", manyFrames(1<<20-1, text.Addr, text.Size)).Addr = s.Addr
	},
	"an .eh_frame_hdr that points anywhere": func(_ *testing.T, f *forgery, _ string) {
		s := f.section(".eh_frame_hdr")
		copy(f.body[s.Off:], []byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
		f.drop(".eh_frame", ".eh_frame_hdr")
	},
	".gnu_debugdata that expands": func(t *testing.T, f *forgery, _ string) {
		f.drop(".symtab")
		f.set(".gnu_debugdata", packed(t, 60<<20))
	},
	".gnu_debugdata that breaks off": func(t *testing.T, f *forgery, _ string) {
		f.drop(".symtab")
		whole := packed(t, 1<<20)
		f.set(".gnu_debugdata", append(whole[:len(whole)/2:len(whole)/2], whole[len(whole)-12:]...))
	},
	"debug information in circles": func(_ *testing.T, f *forgery, _ string) {
		text := f.section(".text")
		f.set(".debug_abbrev", circularAbbreviations())
		f.set(".debug_info", circularEntries(text.Addr, text.Size, 1_000_000))
		f.drop(".debug_aranges")
	},
	"abbreviations without an end": func(_ *testing.T, f *forgery, _ string) {
		f.set(".debug_abbrev", manyAbbreviations(4_000_000))
	},
	"compressed debug information that expands": func(_ *testing.T, f *forgery, _ string) {
		for _, name := range []string{".debug_info", ".debug_line", ".debug_str"} {
			header := le.AppendUint64(le.AppendUint64(le.AppendUint64(nil, uint64(elf.COMPRESS_ZLIB)), 1<<40), 1)
			f.set(name, append(header, make([]byte, 1<<10)...)).Flags = uint64(elf.SHF_COMPRESSED)
		}
	},
	"debug information of half a terabyte": func(_ *testing.T, f *forgery, _ string) {
		f.setHole(".debug_info", 512<<30)
	},
	"a debug link to itself": func(_ *testing.T, f *forgery, _ string) {
		f.stripTo("target", 0)
	},
	"a debug link to a FIFO": func(t *testing.T, f *forgery, dir string) {
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "link"), 0o600))
		f.stripTo("link", 0)
	},
	"a debug link in a circle": func(t *testing.T, f *forgery, dir string) {
		require.NoError(t, os.Symlink("link", filepath.Join(dir, "link")))
		f.stripTo("link", 0)
	},
	"a debug link to ten gigabytes": func(t *testing.T, f *forgery, dir string) {
		hole(t, filepath.Join(dir, "link"), f.body[:4096], 10<<30)
		f.stripTo("link", 0)
	},
	"a debug link to what may be checked": func(t *testing.T, f *forgery, dir string) {
		hole(t, filepath.Join(dir, "link"), f.body[:4096], 1<<30-1)
		f.stripTo("link", 1)
	},
	"a table of Go functions": func(_ *testing.T, f *forgery, _ string) {
		f.drop(".symtab")
		f.set(".go.buildinfo", []byte("\xff Go buildinf:\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
		f.set(".gopclntab", goTableLies(1<<20, 60<<20))
	},
}

// headers are lies of the header itself, which is written as it is.
var headers = map[string]func(f *forgery){
	"more sections than there are":   func(f *forgery) { f.header.Shnum = 0xfeff },
	"sections counted by the first":  func(f *forgery) { f.header.Shnum, f.sections[0].Size = 0, math.MaxInt64 },
	"section headers beyond the end": func(f *forgery) { f.header.Shoff = math.MaxInt64 - 1 },
	"section headers of no size":     func(f *forgery) { f.header.Shentsize = 0 },
	"names in no section":            func(f *forgery) { f.header.Shstrndx = 0xfefe },
}

// stripTo takes symbols and debug information away and links to a file with them.
func (f *forgery) stripTo(name string, checksum uint32) {
	f.drop(".symtab", ".debug_info", ".debug_abbrev", ".debug_line", ".note.gnu.build-id")
	link := append([]byte(name), 0)
	for len(link)%4 != 0 {
		link = append(link, 0)
	}
	if checksum == 0 {
		checksum = crc32.ChecksumIEEE(link)
	}
	f.set(".gnu_debuglink", le.AppendUint32(link, checksum))
}

// hole makes a file of the size that begins with data.
func hole(t *testing.T, path string, data []byte, size int64) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, data, 0o644))
	require.NoError(t, os.Truncate(path, size))
}

func appendSymbol(to []byte, name uint32, kind elf.SymType, section uint16, value, size uint64) []byte {
	to = le.AppendUint32(to, name)
	to = append(to, elf.ST_INFO(elf.STB_GLOBAL, kind), 0)
	to = le.AppendUint16(to, section)
	return le.AppendUint64(le.AppendUint64(to, value), size)
}

// circularFrames are entries each of which names itself, or the next, as what it
// shares, and an end of 2^64.
func circularFrames() []byte {
	var data []byte
	for i := range uint32(100_000) {
		data = le.AppendUint32(data, 12)
		data = le.AppendUint32(data, i%3*16+4) // itself, the one before, that before it
		data = append(data, make([]byte, 8)...)
	}
	data = le.AppendUint32(data, math.MaxUint32)
	return le.AppendUint64(data, math.MaxUint64-8)
}

// manyFrames are count entries, which share one, of code that they cut up.
func manyFrames(count int, text, size uint64) []byte {
	cie := []byte{1, 'z', 'R', 0, 1, 0x78, 16, 1, 0 /* absolute */, 0x0c, 7, 8, 0x90, 1, 0, 0}
	data := le.AppendUint32(make([]byte, 0, 28*count), uint32(4+len(cie)))
	data = append(le.AppendUint32(data, 0), cie...)
	for i := range uint64(count) {
		data = le.AppendUint32(data, 4+8+8+4)
		data = le.AppendUint32(data, uint32(len(data)))
		data = le.AppendUint64(data, text+i%size)
		data = le.AppendUint64(data, 1+i%16)
		data = append(data, 0, 0, 0, 0)
	}
	return data
}

// packed is so many zeros as xz packs them.
func packed(t *testing.T, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	config := xz.WriterConfig{DictCap: 1 << 16, CheckSum: xz.CRC32}
	w, err := config.NewWriter(&out)
	require.NoError(t, err)
	_, err = io.Copy(w, io.LimitReader(zeros{}, size))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// Numbers of DWARF.
const (
	dwCompileUnit, dwSubprogram, dwInlined = 0x11, 0x2e, 0x1d
	dwSibling, dwLow, dwHigh, dwOrigin     = 0x01, 0x11, 0x12, 0x31
	dwAddr, dwData8, dwRef4                = 0x01, 0x07, 0x13
)

func circularAbbreviations() []byte {
	return []byte{
		1, dwCompileUnit, 1, dwLow, dwAddr, dwHigh, dwData8, 0, 0,
		2, dwSubprogram, 1, dwLow, dwAddr, dwHigh, dwData8, dwOrigin, dwRef4, dwSibling, dwRef4, 0, 0,
		3, dwInlined, 1, dwLow, dwAddr, dwHigh, dwData8, dwOrigin, dwRef4, dwSibling, dwRef4, 0, 0,
		0,
	}
}

// circularEntries is a unit of entries inside each other, each of which has its name from
// itself or the one before, and its sibling at the beginning.
func circularEntries(text, size uint64, count int) []byte {
	data := append(make([]byte, 4), 4, 0, 0, 0, 0, 0, 8)
	entry := func(code byte) {
		data = append(data, code)
		data = le.AppendUint64(le.AppendUint64(data, text), size)
	}
	entry(1)
	first := len(data)
	for i := range count {
		at := len(data)
		entry(byte(2 + min(i, 1)))
		data = le.AppendUint32(data, uint32(at-i%2*25))
		data = le.AppendUint32(data, uint32(first))
	}
	le.PutUint32(data, uint32(len(data)-4))
	return data
}

// manyAbbreviations is a table whose codes come in no order.
func manyAbbreviations(count int) []byte {
	data := make([]byte, 0, 12*count)
	for i := range count {
		code := uint32(i*7919 + 5)
		data = append(data, byte(code)|0x80, byte(code>>7)|0x80, byte(code>>14)|0x80, byte(code>>21)&0x7f)
		data = append(data, dwSubprogram, 0, dwLow, dwAddr, dwHigh, dwData8, 0, 0)
	}
	return data
}

// goTableLies is a .gopclntab of count functions, so it says, in no order.
func goTableLies(count uint64, size int) []byte {
	data := []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}
	for _, word := range []uint64{count, 1 << 62, 0, 72, 72, 72, 72, 72} {
		data = le.AppendUint64(data, word)
	}
	for i := 0; len(data) < size; i++ {
		data = le.AppendUint32(data, uint32(i*16))
		data = le.AppendUint32(data, uint32(size)-uint32(i*4))
	}
	return data
}

// overlappingMap is a map of count pieces of JIT code, each inside the one before.
func overlappingMap(count int) []byte {
	var out bytes.Buffer
	for i := range uint64(count) {
		fmt.Fprintf(&out, "%x %x f%d\n", i, uint64(1)<<47-2*i, i%10)
	}
	return out.Bytes()
}
