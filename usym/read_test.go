// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"debug/elf"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type panicking struct{}

func (panicking) ReadAt([]byte, int64) (int, error) { panic("hostile") }

func TestReadTableContainsPanics(t *testing.T) {
	table, err := readTable(panicking{}, 1<<20)
	require.ErrorContains(t, err, "hostile")
	assert.Nil(t, table)
	assert.Empty(t, table.name(0))
}

func TestReadTableBounds(t *testing.T) {
	_, err := readTable(bytes.NewReader(nil), maxFileSize+1)
	require.ErrorIs(t, err, errTooLarge)

	f := &elf.File{Sections: []*elf.Section{
		{},
		{SectionHeader: elf.SectionHeader{Type: elf.SHT_SYMTAB, Link: 2, Size: maxSymbols*elf.Sym64Size + 1}},
		{SectionHeader: elf.SectionHeader{Type: elf.SHT_STRTAB}},
	}}
	require.ErrorIs(t, new(table).addSection(f, f.Sections[1]), errTooLarge)
	f.Sections[1].Size = 0
	f.Sections[2].Size = maxNames + 1
	require.ErrorIs(t, new(table).addSection(f, f.Sections[1]), errTooLarge)
	f.Sections[1].Link = 3
	require.ErrorContains(t, new(table).addSection(f, f.Sections[1]), "no string table")
}

func TestReadTableOfNoELF(t *testing.T) {
	_, err := readTable(bytes.NewReader([]byte("#!/bin/sh\n")), 10)
	require.ErrorContains(t, err, "reading ELF")
}

func TestIndexKeepsTheBestKnownName(t *testing.T) {
	names := "\x00__lock\x00lock\x00_lock\x00zlock@@V_1\x00big\x00"
	at := func(name string) uint32 { return uint32(bytes.Index([]byte(names), []byte("\x00"+name))) + 1 }
	tests := []struct {
		name    string
		symbols []symbol
		want    string
	}{
		{"fewest underscores", []symbol{
			{name: at("__lock"), binding: elf.STB_GLOBAL}, {name: at("lock"), binding: elf.STB_WEAK},
			{name: at("_lock"), binding: elf.STB_GLOBAL}}, "lock"},
		{"seen by others", []symbol{
			{name: at("lock"), binding: elf.STB_LOCAL}, {name: at("zlock"), binding: elf.STB_WEAK}}, "zlock"},
		{"the larger", []symbol{{name: at("big"), size: 1}, {name: at("lock"), size: 2}}, "lock"},
		{"the first by alphabet", []symbol{{name: at("lock")}, {name: at("big")}}, "big"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := &table{names: names, symbols: tt.symbols}
			table.index()
			require.Len(t, table.symbols, 1)
			assert.Equal(t, tt.want, table.text(table.symbols[0]))
		})
	}
}

func FuzzReadTable(f *testing.F) {
	for _, path := range []string{"/bin/true", "/bin/sleep"} {
		if data, err := os.ReadFile(path); err == nil {
			f.Add(data, uint64(0x2000))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, offset uint64) {
		table, err := readTable(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			require.Nil(t, table)
			require.NotContains(t, err.Error(), "panic")
		}
		require.LessOrEqual(t, len(table.name(offset)), maxName)
	})
}
