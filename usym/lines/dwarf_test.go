// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where the code of files made here is.
const (
	codeLow  = 0x1000
	codeHigh = 0x9000
)

// made is a file with debug information made by hand.
type made struct {
	names    []string
	contents map[string][]byte
}

func (m *made) set(name string, data []byte) {
	if m.contents == nil {
		m.contents = make(map[string][]byte)
	}
	if _, ok := m.contents[name]; !ok {
		m.names = append(m.names, name)
	}
	m.contents[name] = data
}

// elf returns the file: code that is not in it, and the sections set.
func (m *made) elf() []byte {
	names := []byte("\x00.text\x00.shstrtab\x00")
	headers := []elf.Section64{{}, {
		Name: 1, Type: uint32(elf.SHT_NOBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR),
		Addr: codeLow, Size: codeHigh - codeLow,
	}}
	const start = 64
	var body []byte
	for _, name := range m.names {
		headers = append(headers, elf.Section64{
			Name: uint32(len(names)), Type: uint32(elf.SHT_PROGBITS),
			Off: uint64(start + len(body)), Size: uint64(len(m.contents[name])),
		})
		names = append(append(names, name...), 0)
		body = append(body, m.contents[name]...)
	}
	headers = append(headers, elf.Section64{
		Name: 7, Type: uint32(elf.SHT_STRTAB), Off: uint64(start + len(body)), Size: uint64(len(names)),
	})
	body = append(body, names...)
	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Shoff: uint64(start + len(body)),
		Ehsize: start, Shentsize: 64, Shnum: uint16(len(headers)), Shstrndx: uint16(len(headers) - 1),
	}
	copy(h.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	var out bytes.Buffer
	for _, part := range []any{h, body, headers} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			panic(err) // of fixed size: it cannot
		}
	}
	return out.Bytes()
}

func (m *made) table(t testing.TB) *Table {
	t.Helper()
	data := m.elf()
	table, err := read(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	return table
}

// le is little-endian bytes under construction.
type le []byte

func (b le) u8(values ...uint64) le {
	for _, v := range values {
		b = append(b, byte(v))
	}
	return b
}
func (b le) u16(v uint64) le { return binary.LittleEndian.AppendUint16(b, uint16(v)) }
func (b le) u32(v uint64) le { return binary.LittleEndian.AppendUint32(b, uint32(v)) }
func (b le) u64(v uint64) le { return binary.LittleEndian.AppendUint64(b, v) }
func (b le) str(s string) le { return append(append(b, s...), 0) }
func (b le) uleb(v uint64) le {
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

// sized puts a length of 4 bytes before a unit.
func sized(unit le) le { return append(le{}.u32(uint64(len(unit))), unit...) }

// abbreviation declares an entry with pairs of an attribute and a form.
func (b le) abbreviation(code uint64, tag dwarf.Tag, children bool, pairs ...uint64) le {
	b = b.uleb(code).uleb(uint64(tag))
	if children {
		b = b.u8(1)
	} else {
		b = b.u8(0)
	}
	for _, v := range pairs {
		b = b.uleb(v)
	}
	return b.u8(0, 0)
}

// unit4 makes a unit of DWARF 4. Offsets in it count from headerSize before entries.
func unit4(entries le) le {
	return sized(append(le{}.u16(4).u32(0).u8(8), entries...))
}

const headerSize = 11

// Codes of the abbreviations below.
const (
	codeUnit     = iota + 1 // low, high
	codeFunction            // low, size, name; with children
	codeInlined             // low, size, origin, file, line; with children
	codeAbstract            // name, origin
	codeSilent              // a unit without addresses
)

var abbreviations = le{}.
	abbreviation(codeUnit, dwarf.TagCompileUnit, true,
		uint64(dwarf.AttrLowpc), uint64(formAddr), uint64(dwarf.AttrHighpc), uint64(formAddr)).
	abbreviation(codeFunction, dwarf.TagSubprogram, true,
		uint64(dwarf.AttrLowpc), uint64(formAddr), uint64(dwarf.AttrHighpc), uint64(formData4),
		uint64(dwarf.AttrName), uint64(formString)).
	abbreviation(codeInlined, dwarf.TagInlinedSubroutine, true,
		uint64(dwarf.AttrLowpc), uint64(formAddr), uint64(dwarf.AttrHighpc), uint64(formData4),
		uint64(dwarf.AttrAbstractOrigin), uint64(formRefAddr),
		uint64(dwarf.AttrCallFile), uint64(formData1), uint64(dwarf.AttrCallLine), uint64(formUdata)).
	abbreviation(codeAbstract, dwarf.TagSubprogram, false,
		uint64(dwarf.AttrName), uint64(formString), uint64(dwarf.AttrAbstractOrigin), uint64(formRefAddr)).
	abbreviation(codeSilent, dwarf.TagCompileUnit, true,
		uint64(dwarf.AttrStmtList), uint64(formSecOffset)).
	u8(0)

func (b le) unit(low, high uint64) le { return b.uleb(codeUnit).u64(low).u64(high) }

func (b le) function(low, size uint64, name string) le {
	return b.uleb(codeFunction).u64(low).u32(size).str(name)
}

func (b le) inlined(low, size, origin, line uint64) le {
	return b.uleb(codeInlined).u64(low).u32(size).u32(origin).u8(1).uleb(line)
}

func (b le) abstract(name string, origin uint64) le {
	return b.uleb(codeAbstract).str(name).u32(origin)
}

func (b le) end(times int) le { return append(b, make([]byte, times)...) }

// madeWith returns a file with one unit.
func madeWith(entries le) *made {
	m := &made{}
	m.set(".debug_abbrev", abbreviations)
	m.set(".debug_info", unit4(entries))
	return m
}

// program4 makes a line table of DWARF 4 with one file, a.c in the folder src.
func program4(opcodes le) le {
	header := le{}.u8(1, 1, 1, 0xfb, 14, 13).u8(0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1).
		str("src").u8(0).str("a.c").uleb(1).uleb(0).uleb(0).u8(0)
	return sized(append(append(le{}.u16(4).u32(uint64(len(header))), header...), opcodes...))
}

func (b le) setAddress(address uint64) le { return b.u8(0, 9, opSetAddress).u64(address) }
func (b le) endSequence() le              { return b.u8(0, 1, opEndSequence) }

// row advances to the next line and makes a row.
func (b le) row(address, lines uint64) le {
	return b.u8(opAdvancePC).uleb(address).u8(opAdvanceLine).uleb(lines & 0x3f).u8(opCopy)
}

func requireConsistent(t testing.TB, calls []Call) {
	t.Helper()
	require.LessOrEqual(t, len(calls), maxInlined+1)
	for i, call := range calls {
		require.Equal(t, i < len(calls)-1, call.Inlined)
		require.LessOrEqual(t, len(call.Function), maxName)
		require.True(t, call.Line >= 0 && call.Line <= math.MaxInt32)
	}
}
