// SPDX-License-Identifier: Apache-2.0

package ksym_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/ksym"
)

const listing = `ffffffff81000000 T _stext
ffffffff81000000 T __pi_startup_64
ffffffff81000000 T startup_64
ffffffff81000100 t helper
ffffffff81000200 D jiffies
ffffffff81000300 T __schedule
ffffffff81000400 W weak_alias
ffffffff81000400 t local_name
ffffffff81000400 T global_name
ffffffff81000500 T _etext
ffffffff82000000 T late
ffffffffc0001000 t ext4_lookup	[ext4]
ffffffffc0000000 T jbd2_start	[jbd2]
ffffffffc0001100 t ext4_create	[ext4]
`

func read(t *testing.T, text string) *ksym.Table {
	t.Helper()
	table, err := ksym.Read(strings.NewReader(text))
	require.NoError(t, err)
	return table
}

func TestResolve(t *testing.T) {
	table := read(t, listing)
	tests := []struct {
		name    string
		address uint64
		want    ksym.Symbol // zero: nothing
	}{
		{"zero", 0, ksym.Symbol{}},
		{"just below the first", 0xffffffff80ffffff, ksym.Symbol{}},
		{"exactly the first, fewest underscores", 0xffffffff81000000,
			ksym.Symbol{Name: "startup_64", Start: 0xffffffff81000000}},
		{"last byte of the first", 0xffffffff810000ff,
			ksym.Symbol{Name: "startup_64", Start: 0xffffffff81000000, Offset: 0xff}},
		{"data does not cut a function", 0xffffffff81000200,
			ksym.Symbol{Name: "helper", Start: 0xffffffff81000100, Offset: 0x100}},
		{"inside", 0xffffffff81000310,
			ksym.Symbol{Name: "__schedule", Start: 0xffffffff81000300, Offset: 0x10}},
		{"global before local before weak", 0xffffffff81000400,
			ksym.Symbol{Name: "global_name", Start: 0xffffffff81000400}},
		{"end of text", 0xffffffff81000500, ksym.Symbol{}},
		{"past the end of text", 0xffffffff81000510, ksym.Symbol{}},
		{"far past a symbol", 0xffffffff82000000 + 256<<10, ksym.Symbol{}},
		{"module, listed out of order", 0xffffffffc0000001,
			ksym.Symbol{Name: "jbd2_start", Module: "jbd2", Start: 0xffffffffc0000000, Offset: 1}},
		{"second symbol of a module", 0xffffffffc0001000,
			ksym.Symbol{Name: "ext4_lookup", Module: "ext4", Start: 0xffffffffc0001000}},
		{"just past the last", 0xffffffffc0001101,
			ksym.Symbol{Name: "ext4_create", Module: "ext4", Start: 0xffffffffc0001100, Offset: 1}},
		{"far past the last", 0xffffffffffffffff, ksym.Symbol{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := table.Resolve(tt.address)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.want != ksym.Symbol{}, ok)
		})
	}
}

func TestEqualAliasesKeepTheFirstOfTheFile(t *testing.T) {
	table := read(t, "1000 T beta\n1000 T alpha\n")
	got, ok := table.Resolve(0x1000)
	require.True(t, ok)
	assert.Equal(t, "beta", got.Name)
}

func TestFunctionGoesBeforeEndMark(t *testing.T) {
	table := read(t, "1000 T __sched_text_end\n1000 T __lock_text_start\n")
	got, ok := table.Resolve(0x1004)
	require.True(t, ok)
	assert.Equal(t, "__lock_text_start", got.Name)
}

func TestNilTable(t *testing.T) {
	var table *ksym.Table
	_, ok := table.Resolve(0xffffffff81000000)
	assert.False(t, ok)
	assert.Zero(t, table.Len())
}
