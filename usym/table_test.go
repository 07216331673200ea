// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"debug/elf"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

// text is a table of names for tests, and where in it a name is.
const text = "\x00__lock\x00lock\x00_lock\x00zlock@@V_1\x00big\x00__vdso_time\x00__GI___lock\x00"

func at(name string) uint32 { return uint32(strings.Index(text, "\x00"+name)) + 1 }

func tableOf(symbols ...symbol) *table {
	return &table{symbols: symbols, sources: []names{{r: strings.NewReader(text)}}}
}

func named(t *table, s symbol) string { name, _ := t.text(s); return name }

func TestIndexKeepsTheBestKnownName(t *testing.T) {
	const global, weak, local = uint8(elf.STB_GLOBAL), uint8(elf.STB_WEAK), uint8(elf.STB_LOCAL)
	tests := []struct {
		name    string
		symbols []symbol
		want    string
	}{
		{"fewest underscores", []symbol{
			{name: at("__lock"), binding: global}, {name: at("lock"), binding: weak},
			{name: at("_lock"), binding: global}}, "lock"},
		{"with a size", []symbol{{name: at("lock")}, {name: at("__lock"), size: 1}}, "__lock"},
		{"seen by others", []symbol{
			{name: at("lock"), binding: local}, {name: at("zlock"), binding: weak}}, "zlock"},
		{"the larger", []symbol{{name: at("big"), size: 1}, {name: at("lock"), size: 2}}, "lock"},
		{"the first by alphabet", []symbol{{name: at("lock")}, {name: at("big")}}, "big"},
		{"not glibc's own alias", []symbol{{name: at("__GI___lock")}, {name: at("__lock")}}, "__lock"},
		{"the vDSO's own", []symbol{{name: at("big")}, {name: at("__vdso_time")}}, "__vdso_time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := tableOf(tt.symbols...)
			table.index()
			require.Len(t, table.symbols, 1)
			assert.Equal(t, tt.want, named(table, table.symbols[0]))
		})
	}
}

func TestFindTheInnermost(t *testing.T) {
	table := tableOf(
		symbol{start: 0x10, size: 0x50, name: at("big")},
		symbol{start: 0x20, size: 4, name: at("lock")},
		symbol{start: 0x28, size: 8, name: at("_lock")},
		symbol{start: 0x80, size: 8, name: at("zlock")},
	)
	table.index()
	for address, want := range map[uint64]string{
		0: "", 0xf: "", 0x10: "big", 0x1f: "big", 0x20: "lock", 0x23: "lock", 0x24: "big",
		0x28: "_lock", 0x30: "big", 0x5f: "big", 0x60: "", 0x7f: "", 0x80: "zlock", 0x88: "", 1<<64 - 1: "",
	} {
		s, ok := table.find(address)
		assert.Equal(t, want != "", ok, "%#x", address)
		if ok {
			assert.Equal(t, want, named(table, s), "%#x", address)
		}
	}
}

func TestRoomOfSymbolsWithoutASize(t *testing.T) {
	sections := []*image.Section{{SectionHeader: elf.SectionHeader{Flags: elf.SHF_EXECINSTR, Addr: 0x100, Size: 0x100}}}
	symbols := []symbol{{start: 0x110}, {start: 0x140, size: 4}, {start: 0x180}, {start: 0x400}}
	whole, stripped := tableOf(symbols...), tableOf(symbols...)
	whole.index()
	stripped.index()
	whole.bound(sections, true)
	stripped.bound(sections, false)
	sizes := func(t *table) (list []uint32) {
		for _, s := range t.symbols {
			list = append(list, s.size)
		}
		return list
	}
	assert.Equal(t, []uint32{0x30, 4, 0x80, 0}, sizes(whole))
	assert.Equal(t, []uint32{1, 4, 1, 0}, sizes(stripped), "what follows may be another function")
}

func TestNamesFromMemoryAndFile(t *testing.T) {
	long := strings.Repeat("x", maxName+10)
	data := []byte("\x00one\x00two@@V\x00" + long + "\x00")
	kept, err := readNames(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	assert.False(t, kept.lazy)
	assert.Equal(t, int64(len(data)), kept.kept)

	large := append(data, make([]byte, maxKeptNames)...)
	lazy, err := readNames(bytes.NewReader(large), int64(len(large)))
	require.NoError(t, err)
	assert.True(t, lazy.lazy)
	assert.Zero(t, lazy.kept)

	for _, n := range []names{kept, lazy} {
		assert.Equal(t, "one", n.at(1))
		assert.Equal(t, "wo", withoutVersion(n.at(6)))
		assert.Len(t, n.at(12), maxName)
		assert.Empty(t, n.at(1<<32-1))
	}
	short, err := readNames(bytes.NewReader(data), 1<<20)
	require.NoError(t, err)
	assert.Equal(t, int64(len(data)), short.kept, "the file is shorter than it says")
}
