// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// costs runs what must neither take long nor allocate much, whatever the file says. The
// bounds are several times what is measured, as the machine may be busy.
func costs(t *testing.T, most time.Duration, megabytes uint64, run func()) {
	t.Helper()
	if raceEnabled {
		t.Skip("the race detector slows it down, and there is but one goroutine")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	run()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
	t.Logf("%v, %d MiB allocated", took, allocated)
	assert.Less(t, took, most)
	assert.LessOrEqual(t, allocated, megabytes)
}

func readMade(m *made) func() {
	data := m.elf()
	return func() {
		table, err := read(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			table.at(0x2000)
			table.at(0x3000)
		}
	}
}

// manyAttributes declares an entry with attributes that take no bytes.
func manyAttributes(code uint64, tag dwarf.Tag, count int) le {
	pairs := make([]uint64, 0, 2*count)
	for range count {
		pairs = append(pairs, uint64(dwarf.AttrExternal), uint64(formFlagPresent))
	}
	return le{}.abbreviation(code, tag, false, pairs...)
}

func TestEntriesWithManyAttributes(t *testing.T) {
	entries := append(le{}.unit(codeLow, codeHigh), bytes.Repeat([]byte{9}, 4<<20)...)
	m := madeWith(entries)
	m.set(".debug_abbrev", append(manyAttributes(9, dwarf.TagSubprogram, 200_000), abbreviations...))
	costs(t, 10*time.Second, 100, readMade(m))
}

func TestManyUnitsWithLongTablesOfAbbreviations(t *testing.T) {
	table := manyAttributes(9, dwarf.TagCompileUnit, 200_000)
	var info le
	for i := range uint64(200_000) {
		// Each finds a table of its own in the middle of the others'.
		info = append(info, sized(le{}.u16(4).u32(i&^1).u8(8).uleb(9))...)
	}
	m := &made{}
	m.set(".debug_abbrev", table.u8(0))
	m.set(".debug_info", info)
	costs(t, 20*time.Second, 1000, readMade(m))
}

func TestRangesThatAllEntriesShare(t *testing.T) {
	var ranges le
	for i := range uint64(100_000) {
		ranges = ranges.u64(0x2000 + i%256*16).u64(0x2008 + i%256*16)
	}
	entries := le{}.uleb(codeSilent).u32(0)
	for range 100_000 {
		entries = entries.uleb(9).u32(0)
	}
	m := madeWith(entries.end(1))
	m.set(".debug_ranges", ranges.u64(0).u64(0))
	m.set(".debug_abbrev", append(le{}.abbreviation(9, dwarf.TagSubprogram, false,
		uint64(dwarf.AttrRanges), uint64(formSecOffset)), abbreviations...))
	costs(t, 10*time.Second, 400, readMade(m))
}

func TestEndlessLineProgram(t *testing.T) {
	m := madeWith(le{}.uleb(codeSilent).u32(0).end(1))
	m.set(".debug_line", program4(append(le{}.setAddress(0x2000), bytes.Repeat([]byte{255}, 32<<20)...).endSequence()))
	costs(t, 10*time.Second, 400, readMade(m))
}

func TestLineHeaderThatClaimsManyFiles(t *testing.T) {
	for name, tables := range map[string]le{
		"directories of nothing": le{}.u8(0).uleb(1 << 40),
		"files of nothing":       le{}.u8(0, 0).u8(0).uleb(1 << 40),
		"as many as allowed":     le{}.u8(0).uleb(maxFiles).u8(0).uleb(maxFiles),
	} {
		t.Run(name, func(t *testing.T) {
			header := append(le{}.u8(1, 1, 1, 0xfb, 14, 1), tables...)
			m := madeWith(le{}.uleb(codeSilent).u32(0).end(1))
			m.set(".debug_line", sized(append(le{}.u16(5).u8(8, 0).u32(uint64(len(header))), header...)))
			costs(t, 10*time.Second, 100, readMade(m))
		})
	}
}

func TestSectionThatInflatesToMuch(t *testing.T) {
	claim := func(size uint64) []byte {
		m := madeWith(le{}.unit(codeLow, codeHigh).end(1))
		var h bytes.Buffer
		require.NoError(t, binary.Write(&h, binary.BigEndian, size))
		m.set(".zdebug_str", append(append([]byte("ZLIB"), h.Bytes()...), 0x78, 0x9c, 3, 0, 0, 0, 0, 1))
		return m.elf()
	}
	costs(t, 10*time.Second, 2*maxInflated>>20, func() {
		for size, expected := range map[uint64]error{maxInflated + 1: ErrTooLarge, 1 << 63: ErrTooLarge, maxInflated: nil} {
			file := claim(size)
			_, err := Read(bytes.NewReader(file), int64(len(file)))
			require.Error(t, err)
			if expected != nil {
				require.ErrorIs(t, err, expected)
			}
		}
	})
}

func TestHeadersThatLie(t *testing.T) {
	m := madeWith(le{}.unit(codeLow, codeHigh).function(0x2000, 16, "f").end(2))
	file := m.elf()
	var h elf.Header64
	require.NoError(t, binary.Read(bytes.NewReader(file), binary.LittleEndian, &h))
	costs(t, 10*time.Second, 100, func() {
		for offset := range 64 {
			for _, value := range []byte{0, 1, 0x7f, 0x80, 0xff} {
				readDamaged(t, file, offset, value)
			}
		}
		for offset := int(h.Shoff); offset < len(file); offset++ {
			for _, value := range []byte{0, 0x7f, 0xff} {
				readDamaged(t, file, offset, value)
			}
		}
	})
}

// readDamaged reads a file of which one byte is changed.
func readDamaged(t *testing.T, file []byte, offset int, value byte) {
	t.Helper()
	old := file[offset]
	file[offset] = value
	defer func() { file[offset] = old }()
	table, err := read(bytes.NewReader(file), int64(len(file)))
	if err == nil {
		requireConsistent(t, table.at(0x2000))
	}
}

func TestWorkOnAFileIsBounded(t *testing.T) {
	table := madeWith(le{}.unit(codeLow, codeHigh).function(0x2000, 16, "f").end(2)).table(t)
	table.work.file = 3
	assert.Nil(t, table.At(0x2000))
	table.work.file = fileSteps
	assert.Nil(t, table.At(0x2000), "it is not tried again")
}
