// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"debug/elf"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each way to link a Go program, and whether it then has .debug_frame.
var goBuilds = []struct {
	name        string
	environment []string
	flags       []string
}{
	{"static", []string{"CGO_ENABLED=0"}, nil},
	{"PIE", []string{"CGO_ENABLED=0"}, []string{"-buildmode=pie"}},
	{"linked by cc", []string{"CGO_ENABLED=1"}, []string{"-ldflags=-linkmode=external"}},
	{"PIE linked by cc", []string{"CGO_ENABLED=1"}, []string{"-buildmode=pie", "-ldflags=-linkmode=external"}},
}

// The table that the Go runtime unwinds by says what .debug_frame says, of all code.
func TestGoRulesAreThoseOfDebugFrame(t *testing.T) {
	for _, b := range goBuilds {
		t.Run(b.name, func(t *testing.T) {
			requireCC(t, b.environment)
			data := contents(t, buildGo(t, b.environment, b.flags...))
			compareWithDebugFrame(t, data)
		})
	}
}

func requireCC(t *testing.T, environment []string) {
	if _, err := exec.LookPath("cc"); err != nil && environment[0] == "CGO_ENABLED=1" {
		t.Skip("no C compiler")
	}
}

func compareWithDebugFrame(t *testing.T, data []byte) {
	f, err := openELF(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	want, err := readDebugFrame(f)
	require.NoError(t, err)
	got, err := readGo(f)
	require.NoError(t, err)
	start, end := codeOf(t, data)
	compared, unsaid := 0, 0
	for pc := start; pc < end; pc += 7 {
		expected, ok := want.rule(pc, false)
		actual, isGo := got.rule(pc, false)
		if !ok || !isGo {
			continue
		}
		if actual.Kind != FromSP {
			unsaid++
			continue
		}
		compared++
		if expected.Kind != FromSP || expected.CFA != actual.CFA {
			require.Equal(t, expected, actual, "at %#x", pc)
		}
	}
	t.Logf("%d places in the code compared, %d without a rule", compared, unsaid)
	assert.Greater(t, compared, 50_000)
	assert.Less(t, unsaid, compared/100)
}

// Stripped programs, and those without any section, have the same rules.
func TestGoStripped(t *testing.T) {
	for _, b := range goBuilds {
		t.Run(b.name, func(t *testing.T) {
			requireCC(t, b.environment)
			whole := contents(t, buildGo(t, b.environment, b.flags...))
			want, err := ReadGo(bytes.NewReader(whole), int64(len(whole)))
			require.NoError(t, err)
			start, end := codeOf(t, whole)
			for name, data := range map[string][]byte{"strip": strip(t, whole), "no sections": withoutSections(whole)} {
				got, err := ReadGo(bytes.NewReader(data), int64(len(data)))
				require.NoError(t, err, name)
				for pc := start; pc < end; pc += 31 {
					if want, got := want.Rule(pc, true), got.Rule(pc, true); want != got {
						require.Equal(t, want, got, "%s: at %#x", name, pc)
					}
				}
			}
		})
	}
}

func strip(t *testing.T, data []byte) []byte {
	tool, err := exec.LookPath("strip")
	if err != nil {
		t.Skip("no strip")
	}
	in, out := writeFile(t, data), writeFile(t, nil)
	run(t, tool, "-o", out, in)
	return contents(t, out)
}

// Where stacks end, where they go on elsewhere, and where signal handlers return to.
func TestGoSpecialFunctions(t *testing.T) {
	data := contents(t, buildGo(t, []string{"CGO_ENABLED=0"}))
	table := readTable(t, data)
	for name, kind := range map[string]Kind{
		"runtime.goexit.abi0":               End,
		"runtime.mstart.abi0":               End,
		"runtime.rt0_go.abi0":               End,
		"runtime.mcall":                     End,
		"runtime.morestack.abi0":            Unknown,
		"runtime.systemstack.abi0":          Unknown,
		"runtime.asmcgocall.abi0":           Unknown,
		"runtime.sigtramp.abi0":             FromSP,
		"main.main":                         FromSP,
		"runtime.sigreturn__sigaction.abi0": Signal,
	} {
		start := symbol(t, data, name)
		assert.Equal(t, kind, table.Rule(start, false).Kind, name)
		if kind != Signal {
			assert.Equal(t, kind, table.Rule(start+1, true).Kind, "call in "+name)
		} else {
			assert.Equal(t, kind, table.Rule(start, true).Kind, "return to "+name)
		}
	}
}

func symbol(t *testing.T, data []byte, name string) uint64 {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	require.NoError(t, err)
	symbols, err := f.Symbols()
	require.NoError(t, err)
	for _, s := range symbols {
		if s.Name == name {
			return s.Value
		}
	}
	require.Fail(t, "no symbol "+name)
	return 0
}
