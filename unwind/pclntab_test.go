// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"debug/elf"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image/gopcln"
)

// goText is where runtime.text of the programs of goELF is; .text begins before it.
const goText, textBefore = 0x402000, 0x40

const goFunctionSize = 64

// goBodies are the functions of these programs.
var goBodies = []struct {
	name string
	flag byte
}{{"main.main", 0}, {"runtime.goexit", 0}, {"runtime.gogo", gopcln.SPWrite}, {"main.top", gopcln.TopFrame}, {"main.other", 0}}

// goCode begins all functions: push %rbp; mov %rsp,%rbp; sub $0x20,%rsp.
var goCode = []byte{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20}

// goDepths says what goCode does: 0 up to 1, 8 up to 8, 40 up to the end.
var goDepths = []byte{2, 1, 16, 7, 64, goFunctionSize - 8, 0}

// The versions of .gopclntab, by its first word.
const (
	magic116 = 0xfffffffa
	magic118 = 0xfffffff0
	magic120 = 0xfffffff1
)

const pclntabHeader = 8 // magic, two zeros, instruction quantum, word size

// recordLayout says where in the record of a function things are.
type recordLayout struct{ name, pcsp, flag, size int }

// goTableBytes writes .gopclntab as the versions of Go wrote it.
func goTableBytes(magic uint32, text uint64) []byte {
	layout := map[uint32]recordLayout{
		magic116: {name: 8, pcsp: 20, flag: 41, size: 44},
		magic118: {name: 4, pcsp: 16, flag: 37, size: 40},
		magic120: {name: 4, pcsp: 16, flag: 41, size: 44},
	}[magic]
	absolute := magic == magic116
	number := func(b []byte, n uint64) []byte {
		if absolute {
			return order.AppendUint64(b, n)
		}
		return order.AppendUint32(b, uint32(n))
	}
	start := uint64(0)
	if absolute {
		start = text
	}
	var names, list, records []byte
	width := len(number(nil, 0))
	listSize := (2*len(goBodies) + 1) * width
	for i, f := range goBodies {
		list = number(number(list, start+uint64(i)*goFunctionSize), uint64(listSize+len(records)))
		record := make([]byte, layout.size)
		order.PutUint32(record[layout.name:], uint32(len(names)))
		order.PutUint32(record[layout.pcsp:], 1)
		if absolute { // Go 1.16 had no flags
			record[layout.flag] = 0
		} else {
			record[layout.flag] = f.flag
		}
		records = append(records, record...)
		names = append(append(names, f.name...), 0)
	}
	list = number(list, start+uint64(len(goBodies))*goFunctionSize)
	pctab := append([]byte{0}, goDepths...)

	header := order.AppendUint32(nil, magic)
	header = append(header, 0, 0, 1, 8)
	words := []uint64{uint64(len(goBodies)), 0}
	if !absolute {
		words = append(words, text)
	}
	at := uint64(pclntabHeader + (len(words)+5)*wordSize)
	cu := at + uint64(len(names))
	words = append(words, at, cu, cu, cu, cu+uint64(len(pctab)))
	for _, w := range words {
		header = order.AppendUint64(header, w)
	}
	return slices.Concat(header, names, pctab, list, records)
}

func goELF(t testing.TB, magic uint32, text uint64) []byte {
	return goELFWith(t, goTableBytes(magic, text))
}

// goELFWith returns a program of goBodies with this table.
func goELFWith(t testing.TB, table []byte) []byte {
	return elfWith(t,
		part{name: ".text", addr: goText - textBefore, flags: elf.SHF_EXECINSTR, data: goCodeBytes()},
		part{name: ".gopclntab", addr: 0x500000, data: table})
}

func goCodeBytes() []byte {
	code := make([]byte, textBefore+len(goBodies)*goFunctionSize)
	for i := range goBodies {
		copy(code[textBefore+i*goFunctionSize:], goCode)
	}
	return code
}

func TestPclntabVersions(t *testing.T) {
	plain := []Rule{{FromSP, 8, 0}, {FromSP, 16, -16}, {FromSP, 48, -16}}
	for name, data := range map[string][]byte{
		"1.16":      goELF(t, magic116, goText),
		"1.18":      goELF(t, magic118, goText),
		"1.20":      goELF(t, magic120, goText),
		"PIE":       goELF(t, magic118, 0),
		"1.26":      goELF(t, magic120, 0),
		"relocated": goELF(t, magic120, 0x1234560),
	} {
		t.Run(name, func(t *testing.T) {
			table := readTable(t, data)
			for _, function := range []uint64{0, 4} {
				for offset, want := range map[uint64]Rule{0: plain[0], 1: plain[1], 7: plain[1], 8: plain[2], 63: plain[2]} {
					pc := goText + function*goFunctionSize + offset
					assert.Equal(t, want, table.Rule(pc, false), "at %#x", pc)
				}
			}
			assert.Equal(t, Rule{Kind: End}, table.Rule(goText+goFunctionSize+1, true), "runtime.goexit")
			if name != "1.16" {
				assert.Equal(t, Rule{}, table.Rule(goText+2*goFunctionSize+1, true), "moves to another stack")
				assert.Equal(t, Rule{Kind: End}, table.Rule(goText+3*goFunctionSize+1, true), "top of a stack")
			}
			assert.Equal(t, plain[2], table.Rule(goText+5*goFunctionSize, true), "the last call")
			assert.Equal(t, Rule{}, table.Rule(goText+5*goFunctionSize, false), "past the end")
			assert.Equal(t, Rule{}, table.Rule(goText-1, false), "before the first")
		})
	}
}

func TestPclntabRefuses(t *testing.T) {
	patch := func(offset int, value byte) []byte {
		table := goTableBytes(magic120, goText)
		table[offset] = value
		return table
	}
	const count, names, pctab, functions = 8, 32, 56, 64
	whole := goTableBytes(magic120, goText)
	for name, table := range map[string][]byte{
		"magic":               patch(0, 0xf2),
		"word size":           patch(7, 4),
		"no function":         patch(count, 0),
		"too many":            patch(count+7, 1),
		"functions beyond":    patch(functions+7, 1),
		"stack depths beyond": patch(pctab+7, 1),
		"cut off":             whole[:len(whole)-3],
		"out of order":        patch(int(order.Uint64(whole[functions:])), 200),
		"header only":         whole[:72],
	} {
		data := goELFWith(t, table)
		_, err := Read(bytes.NewReader(data), int64(len(data)))
		assert.ErrorIs(t, err, ErrNoRules, name)
	}
	// Names that cannot be read leave the flags.
	table := readTable(t, goELFWith(t, patch(names+7, 1)))
	assert.Equal(t, Rule{Kind: End}, table.Rule(goText+3*goFunctionSize, false))
	assert.Equal(t, FromSP, table.Rule(goText+goFunctionSize, false).Kind, "runtime.goexit has no flag here")
}

// Sections by other names, or none, hold the table too.
func TestPclntabByItsFirstBytes(t *testing.T) {
	named := goELF(t, magic120, 0)
	want := readTable(t, named)
	renamed := bytes.Replace(named, []byte(".gopclntab"), []byte(".relro-all"), 1)
	_, err := Read(bytes.NewReader(renamed), int64(len(renamed)))
	require.ErrorIs(t, err, ErrNoRules, "not known to be a Go program")

	withInfo := elfWith(t,
		part{name: ".go.buildinfo", addr: 0x600000, data: make([]byte, 16)},
		part{name: ".text", addr: goText - textBefore, flags: elf.SHF_EXECINSTR, data: goCodeBytes()},
		part{name: ".data.rel.ro", addr: 0x500000, data: append(make([]byte, 24), goTableBytes(magic120, 0)...)})
	for name, data := range map[string][]byte{"build info": withInfo, "no sections": withoutSections(withInfo)} {
		got := readTable(t, data)
		for pc := uint64(goText); pc < goText+uint64(len(goBodies))*goFunctionSize; pc++ {
			require.Equal(t, want.Rule(pc, true), got.Rule(pc, true), "%s: at %#x", name, pc)
		}
	}
}

// Code that does not do what the table says is not unwound by it.
func TestPclntabOfOtherCode(t *testing.T) {
	data := elfWith(t,
		part{name: ".text", addr: goText, flags: elf.SHF_EXECINSTR, data: bytes.Repeat([]byte{0x90}, 4096)},
		part{name: ".gopclntab", addr: 0x500000, data: goTableBytes(magic120, goText)})
	_, err := ReadGo(bytes.NewReader(data), int64(len(data)))
	require.ErrorIs(t, err, ErrNoRules)
}
