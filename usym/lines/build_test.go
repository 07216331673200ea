// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// build compiles a source of testdata, or any other, with a command and its flags, and
// returns the program.
func build(t testing.TB, source string, command ...string) string {
	t.Helper()
	tool, err := exec.LookPath(command[0])
	if err != nil {
		t.Skipf("no %s", command[0])
	}
	source, err = filepath.Abs(source)
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command(tool, append(command[1:], "-o", out, source)...)
	cmd.Dir = filepath.Dir(out)
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%v: %s", cmd, text)
	return out
}

// buildGo compiles the Go program.
func buildGo(t testing.TB, flags ...string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/nest.go.txt")
	require.NoError(t, err)
	source := filepath.Join(t.TempDir(), "nest.go")
	require.NoError(t, os.WriteFile(source, text, 0o600))
	return build(t, source, append([]string{"go", "build"}, flags...)...)
}

// edit runs a command that changes a program or makes another from it.
func edit(t testing.TB, command ...string) {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Skipf("no %s", command[0])
	}
	text, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	require.NoError(t, err, "%v: %s", command, text)
}

// open returns the table of a file, which stays open until the test ends.
func open(t testing.TB, path string) *Table {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	require.NoError(t, err)
	table, err := read(f, info.Size())
	require.NoError(t, err)
	return table
}

// functions returns the symbols of the functions of a program.
func functions(t testing.TB, path string) []elf.Symbol {
	t.Helper()
	f, err := elf.Open(path)
	require.NoError(t, err)
	defer f.Close()
	symbols, err := f.Symbols()
	require.NoError(t, err)
	return slices.DeleteFunc(symbols, func(s elf.Symbol) bool {
		return elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF
	})
}

// addresses returns about count addresses in functions, at equal distances.
func addresses(functions []elf.Symbol, count int) []uint64 {
	total := uint64(0)
	for _, f := range functions {
		total += f.Size
	}
	step := max(total/uint64(count), 1)
	var out []uint64
	rest := uint64(0)
	for _, f := range functions {
		for ; rest < f.Size; rest += step {
			out = append(out, f.Value+rest)
		}
		rest -= f.Size
	}
	return out
}

// freestanding is a source that needs no library.
const freestanding = `
static inline __attribute__((always_inline)) int in(int x) { return x * 3; }
__attribute__((section(".text.b"))) int f(int x) { return in(x) + in(x + 1); }
int _start(int x) { return f(in(x)); }
`
