// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// seedPrograms compiles small programs in as many encodings as there are compilers for.
func seedPrograms(f *testing.F) [][]byte {
	f.Helper()
	dir := f.TempDir()
	source := filepath.Join(dir, "seed.c")
	require.NoError(f, os.WriteFile(source, []byte(freestanding), 0o600))
	var seeds [][]byte
	for _, args := range [][]string{
		{"gcc", "-gdwarf-5"}, {"gcc", "-gdwarf-4"}, {"gcc", "-gdwarf-2", "-gstrict-dwarf"}, {"gcc", "-gdwarf-5", "-gdwarf64"},
		{"gcc", "-g", "-gz"}, {"clang-19", "-gdwarf-5"}, {"clang-19", "-gdwarf-4"}, {"gcc", "-g", "-gsplit-dwarf"},
		{"gcc", "-g", "-m32"},
	} {
		out := filepath.Join(dir, "seed")
		args = append(args, "-O2", "-nostdlib", "-static", "-Wl,--build-id=none", "-o", out, source)
		if err := exec.Command(args[0], args[1:]...).Run(); err != nil {
			continue
		}
		data, err := os.ReadFile(out)
		require.NoError(f, err)
		seeds = append(seeds, data)
	}
	return seeds
}

// ask looks up addresses all over a table. What is found must be consistent, what is
// kept must be bounded, and it must end.
func ask(t *testing.T, table *Table) {
	t.Helper()
	for _, code := range table.code[:min(len(table.code), 8)] { // a file may have thousands
		const lookups = 256
		step := max((code.high-code.low)/lookups, 1)
		for i := range uint64(lookups) {
			pc := code.low + i*step
			calls := table.at(pc)
			requireConsistent(t, calls)
			require.Equal(t, calls, table.at(pc))
		}
	}
	for _, s := range table.index[:min(len(table.index), 16)] {
		requireConsistent(t, table.at(s.start))
	}
	require.LessOrEqual(t, table.Bytes(), 160<<20)
	require.GreaterOrEqual(t, table.work.file, int64(0))
}

func FuzzRead(f *testing.F) {
	for _, seed := range seedPrograms(f) {
		f.Add(seed)
	}
	m := madeWith(le{}.unit(codeLow, codeHigh).function(0x2000, 16, "f").inlined(0x2004, 4, 11, 3).end(3))
	m.set(".debug_line", program4(le{}.setAddress(0x2000).row(0, 9).row(4, 1).u8(opAdvancePC, 4).endSequence()))
	f.Add(m.elf())
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := read(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			ask(t, table)
		}
	})
}

// FuzzCyclic makes entries that refer to each other at random, and to the middle of
// each other.
func FuzzCyclic(f *testing.F) {
	f.Add([]byte{1, 0, 16, 11, 2, 4, 8, 28, 2, 4, 2, 28, 3, 0, 0, 11, 0, 0, 0, 0})
	f.Add([]byte{3, 0, 0, 45, 3, 0, 0, 28, 1, 0, 64, 0, 2, 0, 64, 28, 2, 0, 64, 45, 2, 0, 32, 28})
	f.Fuzz(func(t *testing.T, script []byte) {
		m := madeWith(cyclicEntries(script))
		m.set(".debug_line", program4(append(le{}.setAddress(0x2000).row(0, 9), script...)))
		if len(script) > 4 {
			m.set(".debug_aranges", script)
			m.set(".debug_ranges", append(le(script), make([]byte, 16)...))
		}
		data := m.elf()
		table, err := read(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			ask(t, table)
		}
	})
}

// cyclicEntries reads a script of four bytes an entry: what it is, where its code is,
// how much, and what it refers to.
func cyclicEntries(script []byte) le {
	entries := le{}.unit(codeLow, codeHigh)
	for ; len(script) >= 4; script = script[4:] {
		low, size := 0x2000+uint64(script[1])*4, uint64(script[2])
		to := uint64(binary.LittleEndian.Uint16(script[2:])) % 4096
		if script[0] < 128 {
			to = uint64(script[3])
		}
		switch script[0] % 8 {
		case 1, 5:
			entries = entries.function(low, size, "f")
		case 2, 6, 7:
			entries = entries.inlined(low, size, to, to)
		case 3:
			entries = entries.abstract(string(script[1:2]), to)
		case 4:
			entries = entries.abstract("", to)
		default:
			entries = entries.end(1)
		}
	}
	return entries
}
