// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

// addressOf returns the symbol of a function.
func addressOf(t *testing.T, path, name string) uint64 {
	t.Helper()
	for _, s := range functions(t, path) {
		if s.Name == name {
			return s.Value
		}
	}
	require.Fail(t, "no symbol", name)
	return 0
}

// answers returns what a table says of all of a program.
func answers(t *testing.T, table *Table, pcs []uint64) [][]Call {
	t.Helper()
	out := make([][]Call, len(pcs))
	known := 0
	for i, pc := range pcs {
		out[i] = table.at(pc)
		known += min(len(out[i]), 1)
	}
	require.NotZero(t, known)
	return out
}

// requireSame shows the first difference only.
func requireSame(t *testing.T, expected, got [][]Call) {
	t.Helper()
	require.Len(t, got, len(expected))
	for i := range expected {
		require.Equal(t, expected[i], got[i], "address %d of %d", i, len(expected))
	}
}

func TestInlinedCallsAreAtTheLineOfTheCall(t *testing.T) {
	table := open(t, build(t, "testdata/nest.c", "gcc", "-O2", "-g"))
	source, err := filepath.Abs("testdata/nest.c")
	require.NoError(t, err)
	deepest := []Call{}
	for pc := table.code[0].low; pc < table.code[len(table.code)-1].high; pc++ {
		calls := table.At(pc)
		requireConsistent(t, calls)
		if len(calls) > len(deepest) && calls[0].Line == 12 {
			deepest = calls
		}
	}
	require.Len(t, deepest, 4)
	assert.Equal(t, Call{"leaf", source, 12, true}, deepest[0])
	assert.Equal(t, "middle", deepest[1].Function)
	assert.Contains(t, []int{18, 20}, deepest[1].Line)
	assert.Equal(t, Call{"top", source, 26, true}, deepest[2])
	assert.False(t, deepest[3].Inlined)
}

func TestPathsAreJoinedWithTheirDirectories(t *testing.T) {
	text, err := os.ReadFile("testdata/nest.c")
	require.NoError(t, err)
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		for _, compiler := range []string{"gcc", "clang-19"} {
			t.Run(compiler+version, func(t *testing.T) {
				if _, err := exec.LookPath(compiler); err != nil {
					t.Skipf("no %s", compiler)
				}
				dir, err := filepath.EvalSymlinks(t.TempDir())
				require.NoError(t, err)
				require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "nest.c"), text, 0o600))
				cmd := exec.Command(compiler, "-O2", version, "-o", "program", "sub/nest.c")
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, string(out))
				path := filepath.Join(dir, "program")
				calls := open(t, path).At(addressOf(t, path, "work"))
				require.NotEmpty(t, calls)
				assert.Equal(t, filepath.Join(dir, "sub", "nest.c"), calls[0].File)
			})
		}
	}
}

func TestCompressedSectionsSayTheSame(t *testing.T) {
	path := build(t, "testdata/nest.c", "gcc", "-O2", "-g")
	pcs := addresses(functions(t, path), 5000)
	expected := answers(t, open(t, path), pcs)
	for _, method := range []string{"zlib", "zlib-gnu", "zstd"} {
		t.Run(method, func(t *testing.T) {
			packed := filepath.Join(t.TempDir(), "packed")
			edit(t, "objcopy", "--compress-debug-sections="+method, path, packed)
			table := open(t, packed)
			assert.NotZero(t, table.inflated)
			requireSame(t, expected, answers(t, table, pcs))
		})
	}
}

func TestSeparateDebugFileSaysTheSame(t *testing.T) {
	path := build(t, "testdata/nest.c", "gcc", "-O2", "-g")
	pcs := addresses(functions(t, path), 5000)
	expected := answers(t, open(t, path), pcs)
	debug := filepath.Join(t.TempDir(), "debug")
	edit(t, "objcopy", "--only-keep-debug", path, debug)
	requireSame(t, expected, answers(t, open(t, debug), pcs))
}

func TestUnitsThatSaySomeOfTheirAddresses(t *testing.T) {
	// In DWARF 2 gcc states one range for a unit with several sections.
	path := build(t, "testdata/nest.c", "gcc", "-O2", "-gdwarf-2", "-gstrict-dwarf")
	for _, name := range []string{"main", "work", "elsewhere"} {
		calls := open(t, path).At(addressOf(t, path, name))
		require.NotEmpty(t, calls, name)
		assert.Equal(t, name, calls[0].Function)
	}
	edit(t, "objcopy", "--remove-section=.debug_aranges", path)
	table := open(t, path)
	assert.Equal(t, "work", table.At(addressOf(t, path, "work"))[0].Function)
	assert.Nil(t, table.At(addressOf(t, path, "main")))
}

func TestUnitsThatSayNoneOfTheirAddresses(t *testing.T) {
	m := madeWith(le{}.uleb(codeSilent).u32(0).function(0x2000, 16, "f").end(1).function(0x3000, 16, "g").end(2))
	m.set(".debug_line", program4(le{}.setAddress(0x4000).row(0, 9).row(4, 1).u8(opAdvancePC).uleb(4).endSequence()))
	expect := func(table *Table) {
		t.Helper()
		assert.Equal(t, []Call{{Function: "f"}}, table.At(0x2000))
		assert.Equal(t, []Call{{Function: "g"}}, table.At(0x300f))
		assert.Nil(t, table.At(0x3010))
		assert.Equal(t, []Call{{File: "src/a.c", Line: 11}}, table.At(0x4007))
		assert.Nil(t, table.At(0x4008))
	}
	table := m.table(t)
	assert.Equal(t, []int32{0}, table.silent)
	expect(table)
	assert.Empty(t, table.silent)

	ranges := le{}.u64(0x2000).u64(16).u64(0x3000).u64(16).u64(0x4000).u64(8).u64(0).u64(0)
	m.set(".debug_aranges", sized(append(le{}.u16(2).u32(0).u8(8, 0).u32(0), ranges...)))
	table = m.table(t)
	assert.Empty(t, table.silent)
	expect(table)
}

func TestSplitDWARFLeavesLines(t *testing.T) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		t.Run(version, func(t *testing.T) {
			path := build(t, "testdata/nest.c", "gcc", "-O2", version, "-gsplit-dwarf")
			calls := open(t, path).At(addressOf(t, path, "work"))
			require.Len(t, calls, 1)
			assert.Empty(t, calls[0].Function)
			assert.Equal(t, "nest.c", filepath.Base(calls[0].File))
			assert.Equal(t, 41, calls[0].Line)
		})
	}
}

func TestAssemblyHasLinesWithoutFunctions(t *testing.T) {
	source := filepath.Join(t.TempDir(), "a.S")
	require.NoError(t, os.WriteFile(source, []byte(".globl main\n.type main, @function\nmain:\n\tnop\n\tret\n.size main, .-main\n"), 0o600))
	path := build(t, source, "gcc", "-g", "-x", "assembler-with-cpp")
	table := open(t, path)
	main := addressOf(t, path, "main")
	calls := table.At(main)
	require.Len(t, calls, 1)
	assert.Equal(t, "a.S", filepath.Base(calls[0].File))
	assert.Equal(t, 4, calls[0].Line)
	assert.Nil(t, table.At(table.units[0].low+8), "past the end")
}

func TestNothingIsKnownOfOtherAddresses(t *testing.T) {
	path := build(t, "testdata/nest.c", "gcc", "-O2", "-g")
	table := open(t, path)
	for _, pc := range []uint64{0, 1, addressOf(t, path, "_start"), table.code[len(table.code)-1].high, 1 << 40, 1<<64 - 1} {
		assert.Nil(t, table.At(pc), "%#x", pc)
	}
}

func TestFilesWithoutDWARF(t *testing.T) {
	plain := build(t, "testdata/nest.c", "gcc", "-O2")
	stripped := build(t, "testdata/nest.c", "gcc", "-O2", "-g", "-s")
	object := build(t, "testdata/nest.c", "gcc", "-O2", "-g", "-c")
	for path, expected := range map[string]error{plain: ErrNone, stripped: ErrNone, object: errNoAddresses, "doc.go": image.ErrNotELF} {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = Read(bytes.NewReader(data), int64(len(data)))
		assert.ErrorIs(t, err, expected, path)
	}
}

func TestUnitsUsedLastAreKept(t *testing.T) {
	var cache unitCache
	big := func(used uint64) *loaded {
		return &loaded{scopes: &scopes{}, rows: make([]row, maxKeptUnits/3/rowBytes), used: used}
	}
	cache.keep(1, big(1))
	cache.keep(2, big(2))
	cache.units[1].used = 3
	cache.keep(3, big(4))
	assert.Contains(t, cache.units, int32(1))
	assert.NotContains(t, cache.units, int32(2))
	assert.Contains(t, cache.units, int32(3))
	assert.Equal(t, cache.units[1].bytes()+cache.units[3].bytes(), cache.bytes)

	cache.keep(4, &loaded{scopes: &scopes{}, rows: make([]row, 2*maxKeptUnits/rowBytes), used: 5})
	assert.Len(t, cache.units, 1, "one that is too large is kept alone")
	cache.keep(5, big(6))
	assert.Equal(t, cache.units[5].bytes(), cache.bytes)
}

func TestUnitsThatWereDroppedAreReadAgain(t *testing.T) {
	path := buildGo(t)
	table := open(t, path)
	pcs := addresses(functions(t, path), 300)
	expected := answers(t, table, pcs)
	require.Greater(t, len(table.cache.units), 10)
	for id := range table.cache.units {
		table.cache.drop(id)
	}
	assert.Zero(t, table.cache.bytes)
	table.names = nameCache{}
	requireSame(t, expected, answers(t, table, pcs))
}

// failing is a file that cannot be read after some time.
type failing struct {
	io.ReaderAt
	broken bool
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.broken {
		return 0, errors.New("broken")
	}
	return f.ReaderAt.ReadAt(p, off)
}

func TestFileThatCannotBeReadAnyMore(t *testing.T) {
	path := build(t, "testdata/nest.c", "gcc", "-O2", "-g")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	f := &failing{ReaderAt: bytes.NewReader(data)}
	table, err := Read(f, int64(len(data)))
	require.NoError(t, err)
	f.broken = true
	main := addressOf(t, path, "main")
	assert.Nil(t, table.At(main))
	f.broken = false
	assert.Nil(t, table.At(main), "it is not tried again")
}
