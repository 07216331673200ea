// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowsOf runs a program of DWARF 4 and returns its rows, and whether it makes sense.
func rowsOf(t *testing.T, opcodes le) ([]row, bool) {
	t.Helper()
	m := madeWith(le{}.uleb(codeSilent).u32(0).end(1))
	m.set(".debug_line", program4(opcodes))
	table := m.table(t)
	table.work.start(unitSteps)
	h, err := table.readLineHeader(&table.units[0])
	require.NoError(t, err)
	rows, err := table.readRows(h)
	return rows, err == nil
}

func TestSequencesAreSortedByAddress(t *testing.T) {
	rows, ok := rowsOf(t, le{}.
		setAddress(0x3000).row(0, 4).row(8, 1).u8(opAdvancePC, 8).endSequence().
		setAddress(0x2000).row(0, 9).u8(opAdvancePC, 8).endSequence())
	require.True(t, ok)
	assert.Equal(t, []row{{0x2000, 1, 10}, {0x2008, noFile, 0}, {0x3000, 1, 5}, {0x3008, 1, 6}, {0x3010, noFile, 0}}, rows)
	for address, line := range map[uint64]uint32{0x2000: 10, 0x2007: 10, 0x3000: 5, 0x3007: 5, 0x300f: 6} {
		r, ok := lineAt(rows, address)
		assert.True(t, ok, "%#x", address)
		assert.Equal(t, line, r.line, "%#x", address)
	}
	for _, address := range []uint64{0, 0x1fff, 0x2008, 0x2fff, 0x3010, 1 << 63} {
		_, ok := lineAt(rows, address)
		assert.False(t, ok, "%#x", address)
	}
}

func TestTheLastRowForAnAddressCounts(t *testing.T) {
	rows, ok := rowsOf(t, le{}.setAddress(0x2000).row(0, 1).row(0, 1).row(4, 0).row(0, 5).row(0, 0).
		u8(opAdvancePC, 4).row(0, 9).endSequence())
	require.True(t, ok)
	assert.Equal(t, []row{{0x2000, 1, 3}, {0x2004, 1, 8}, {0x2008, noFile, 0}}, rows)
}

func TestSequencesThatOverlap(t *testing.T) {
	rows, ok := rowsOf(t, le{}.
		setAddress(0x2000).row(0, 1).u8(opAdvancePC, 16).endSequence().
		setAddress(0x2004).row(0, 2).u8(opAdvancePC, 4).endSequence(). // within the first
		setAddress(0x200c).row(0, 3).row(2, 1).u8(opAdvancePC, 6).endSequence().
		setAddress(0x2014).row(0, 7).u8(opAdvancePC, 4).endSequence()) // right after it
	require.True(t, ok)
	assert.Equal(t, []row{{0x2000, 1, 2}, {0x2010, 1, 5}, {0x2014, 1, 8}, {0x2018, noFile, 0}}, rows)
}

func TestSequencesOfWhatWasDropped(t *testing.T) {
	rows, ok := rowsOf(t, le{}.
		setAddress(0).row(0, 1).u8(opAdvancePC).uleb(0x4000).endSequence().
		setAddress(^uint64(0)).row(0, 1).row(4, 1).endSequence().
		setAddress(0x2000).endSequence().
		setAddress(0x2000).row(0, 1).endSequence())
	require.True(t, ok)
	assert.Empty(t, rows)
}

func TestRowsThatGoBack(t *testing.T) {
	rows, ok := rowsOf(t, le{}.setAddress(0x2008).row(0, 1).setAddress(0x2000).row(0, 2).
		setAddress(0x2010).endSequence())
	require.True(t, ok)
	assert.Equal(t, []row{{0x2000, 1, 4}, {0x2008, 1, 2}, {0x2010, noFile, 0}}, rows)
}

func TestProgramsThatMakeNoSense(t *testing.T) {
	for name, opcodes := range map[string]le{
		"operand missing":      le{}.u8(opAdvancePC),
		"extended, empty":      le{}.u8(0, 0),
		"extended, too long":   le{}.u8(0, 100, opSetAddress),
		"extended, endless":    le{}.u8(0).uleb(1<<64 - 1).u8(opSetAddress),
		"fixed advance, short": le{}.u8(opFixedAdvance, 1),
	} {
		_, ok := rowsOf(t, opcodes)
		assert.False(t, ok, name)
	}
	rows, ok := rowsOf(t, le{}.setAddress(0x2000).row(0, 1))
	assert.True(t, ok)
	assert.Empty(t, rows, "a sequence that does not end")
}
