// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reference is another program that tells lines.
type reference struct {
	name string
	args []string
	read func(t *testing.T, out []byte) [][]Call
}

var (
	// Of binutils 2.40: it knows nothing of Go's DWARF 5, 64-bit DWARF and .zdebug, takes
	// file 1 for file 0, does not read the ranges that clang gives inlined functions in
	// DWARF 5, and calls an inlined function without linkage by the symbol around it. So
	// it is asked where it is known to be right.
	addr2line  = reference{"addr2line", []string{"-a", "-i", "-f", "-e"}, readAddr2line}
	symbolizer = reference{"llvm-symbolizer-19",
		[]string{"--inlines", "--no-demangle", "--functions=linkage", "--output-style=JSON", "-e"}, readSymbolizer}
)

func (r reference) calls(t *testing.T, path string, pcs []uint64) [][]Call {
	t.Helper()
	if _, err := exec.LookPath(r.name); err != nil {
		t.Skipf("no %s", r.name)
	}
	cmd := exec.Command(r.name, append(r.args, path)...)
	var in bytes.Buffer
	for _, pc := range pcs {
		fmt.Fprintf(&in, "%#x\n", pc)
	}
	cmd.Stdin = &in
	out, err := cmd.Output()
	require.NoError(t, err)
	calls := r.read(t, out)
	require.Len(t, calls, len(pcs))
	return calls
}

func readAddr2line(t *testing.T, out []byte) [][]Call {
	var all [][]Call
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "0x") {
			all = append(all, nil)
			continue
		}
		call := Call{Function: lines.Text()}
		require.True(t, lines.Scan())
		place, _, _ := strings.Cut(lines.Text(), " (discriminator")
		colon := strings.LastIndexByte(place, ':')
		call.File = place[:colon]
		call.Line, _ = strconv.Atoi(place[colon+1:]) // ? is 0
		all[len(all)-1] = append(all[len(all)-1], call)
	}
	return all
}

func readSymbolizer(t *testing.T, out []byte) [][]Call {
	var all [][]Call
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var answer struct {
			Symbol []struct {
				FunctionName, FileName string
				Line                   int
			}
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &answer), lines.Text())
		var calls []Call
		for _, s := range answer.Symbol {
			calls = append(calls, Call{Function: s.FunctionName, File: s.FileName, Line: s.Line})
		}
		all = append(all, calls)
	}
	return all
}

// clone is what is appended to the symbol of a part, copy or version of a function, which
// its debug information does not repeat. The references take the symbol.
var clone = regexp.MustCompile(`(\.(part|cold|isra|constprop|lto_priv|llvm|abi0|abiinternal)(\.\d+)*|@+GLIBC_[0-9.]+)+$`)

// same compares calls. What the reference does not know is "??" or empty.
func same(ours, theirs []Call, symbols map[string]uint64) bool {
	known := func(s string) string {
		if s == "??" {
			return ""
		}
		return s
	}
	if len(ours) == 0 {
		// Where there are but symbols, a reference may name the file that they are from.
		return len(theirs) == 0 || known(theirs[0].File) == "" || len(theirs) == 1 && theirs[0].Line == 0
	}
	if len(ours) != len(theirs) {
		return false
	}
	for i := range ours {
		a, b := ours[i], theirs[i]
		if !sameFunction(a, known(b.Function), symbols) || base(a.File) != base(known(b.File)) || a.Line != b.Line {
			return false
		}
	}
	return true
}

// sameFunction compares a name with a symbol. Functions without linkage have a plain
// name alone in the debug information of gcc, and functions found to be the same by the
// compiler have several symbols.
func sameFunction(ours Call, theirs string, symbols map[string]uint64) bool {
	name := strings.ReplaceAll(ours.Function, "·", ".")
	if address, ok := symbols[name]; ok && !ours.Inlined && address == symbols[theirs] {
		return true
	}
	name, theirs = clone.ReplaceAllString(name, ""), clone.ReplaceAllString(theirs, "")
	if name == theirs {
		return true
	}
	if strings.HasSuffix(name, "_ifunc") && !ours.Inlined {
		return true // what the symbol stands for is what it chooses
	}
	plain, _, template := strings.Cut(name, "<")
	return template && !ours.Inlined && strings.HasPrefix(theirs, "_Z") && strings.Contains(theirs, plain)
}

func base(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}

// agree compares a table with references at many addresses. Up to one in a thousand may
// differ.
func agree(t *testing.T, path string, references ...reference) {
	symbols := functions(t, path)
	pcs := addresses(symbols, 6000)
	named := make(map[string]uint64)
	for _, s := range symbols {
		named[s.Name] = s.Value
	}
	for _, r := range references {
		t.Run(r.name, func(t *testing.T) {
			theirs := r.calls(t, path, pcs)
			table := open(t, path)
			known, inlined, differ := 0, 0, 0
			for i, pc := range pcs {
				ours := table.at(pc)
				if len(ours) > 0 {
					known++
				}
				if len(ours) > 1 {
					inlined++
				}
				if !same(ours, theirs[i], named) {
					if differ++; differ <= 10 {
						t.Logf("%#x\n ours   %v\n theirs %v", pc, ours, theirs[i])
					}
				}
			}
			t.Logf("%d addresses, %d known, %d in inlined calls, %d differ, %d bytes kept",
				len(pcs), known, inlined, differ, table.Bytes())
			assert.LessOrEqual(t, differ*1000, len(pcs))
			assert.NotZero(t, known)
		})
	}
}

func TestAgreesWithOthers(t *testing.T) {
	both, llvm := []reference{addr2line, symbolizer}, []reference{symbolizer}
	tests := []struct {
		name       string
		source     string
		references []reference
		build      string
	}{
		{"gcc DWARF 5", "nest.c", both, "gcc -O2 -gdwarf-5"},
		{"gcc DWARF 4", "nest.c", both, "gcc -O2 -gdwarf-4"},
		{"gcc DWARF 3", "nest.c", both, "gcc -O2 -gdwarf-3 -gstrict-dwarf"},
		{"gcc DWARF 2", "nest.c", both, "gcc -O2 -gdwarf-2"},
		{"gcc 64-bit DWARF", "nest.c", llvm, "gcc -O2 -gdwarf-5 -gdwarf64"},
		{"gcc not optimised", "nest.c", both, "gcc -O0 -g"},
		{"gcc sections", "nest.c", both, "gcc -O2 -g -ffunction-sections -Wl,--gc-sections"},
		{"gcc fixed", "nest.c", both, "gcc -O3 -g -no-pie -fno-pie"},
		{"gcc LTO", "nest.c", llvm, "gcc -O2 -g -flto"},
		{"gcc zlib", "nest.c", both, "gcc -O2 -g -gz"},
		{"clang DWARF 5", "nest.c", llvm, "clang-19 -O2 -gdwarf-5"},
		{"clang DWARF 4", "nest.c", both, "clang-19 -O2 -gdwarf-4 -ffunction-sections -Wl,--gc-sections"},
		{"clang zlib", "nest.c", llvm, "clang-19 -O2 -g -gz -ffunction-sections -Wl,--gc-sections"},
		{"g++ DWARF 5", "nest.cc", llvm, "g++ -O2 -gdwarf-5 -std=c++17"},
		{"g++ DWARF 4", "nest.cc", llvm, "g++ -O2 -gdwarf-4 -std=c++17 -ffunction-sections -Wl,--gc-sections"},
		{"clang++ DWARF 5", "nest.cc", llvm, "clang++-19 -O2 -gdwarf-5 -std=c++17 -ffunction-sections -Wl,--gc-sections"},
		{"clang++ DWARF 4", "nest.cc", both, "clang++-19 -O1 -gdwarf-4 -std=c++17"},
		{"rustc DWARF 4", "nest.rs", llvm, "rustc -O -g"},
		{"rustc DWARF 5", "nest.rs", llvm, "rustc -O -g -Cdwarf-version=5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if testing.Short() && tt.source != "nest.c" {
				t.Skip("takes seconds to compile")
			}
			path := build(t, filepath.Join("testdata", tt.source), strings.Fields(tt.build)...)
			agree(t, path, tt.references...)
		})
	}
	t.Run("go", func(t *testing.T) { agree(t, buildGo(t), symbolizer) })
}

func TestAgreesOn32Bits(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("compilers for other machines need not have -m32")
	}
	source := filepath.Join(t.TempDir(), "free.c")
	require.NoError(t, os.WriteFile(source, []byte(freestanding), 0o600))
	for _, version := range []string{"-gdwarf-2", "-gdwarf-4", "-gdwarf-5"} {
		t.Run(version, func(t *testing.T) {
			path := build(t, source, "gcc", "-m32", "-O2", version, "-nostdlib", "-static")
			agree(t, path, addr2line, symbolizer)
		})
	}
}

// TestAgreesOnTheCLibrary reads what Debian's libc6-dbg installs: compressed, with units
// that others import.
func TestAgreesOnTheCLibrary(t *testing.T) {
	f, err := elf.Open("/lib/x86_64-linux-gnu/libc.so.6")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	note, err := f.Section(".note.gnu.build-id").Data()
	require.NoError(t, err)
	id := hex.EncodeToString(note[16:])
	path := filepath.Join("/usr/lib/debug/.build-id", id[:2], id[2:]+".debug")
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	agree(t, path, symbolizer)
}
