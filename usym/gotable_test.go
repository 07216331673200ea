// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"debug/gosym"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/image/gopcln"
)

const goSource = `package main

import (
	"fmt"
	"os"
	"reflect"
)

//go:noinline
func hold(x int) int { return x + 1 }

type lock[T any] struct{ t T }

//go:noinline
func (l *lock[T]) take() T { return l.t }

func main() {
	l := &lock[int]{hold(1)}
	fmt.Println(fmt.Sprintf("%x", reflect.ValueOf(hold).Pointer()), fmt.Sprintf("%x", reflect.ValueOf((*lock[int]).take).Pointer()))
	os.Stdin.Read(make([]byte, 1))
	l.take()
}
`

const cgoSource = `package main

// int c_function(int x) { return x + 1; }
import "C"

var _ = C.c_function(1)
`

// goProgram compiles a Go program without symbols.
func goProgram(t *testing.T, sources []string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "program")
	args := append([]string{"build", "-ldflags=-s -w", "-o", path}, flags...)
	for i, text := range sources {
		file := filepath.Join(dir, string(rune('a'+i))+".go")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		args = append(args, file)
	}
	tool(t, "go", args...)
	return path
}

func TestFunctionsOfAStrippedGoProgram(t *testing.T) {
	tests := []struct {
		name    string
		sources []string
		flags   []string
	}{
		{"static", []string{goSource}, nil},
		{"position-independent", []string{goSource}, []string{"-buildmode=pie"}},
		{"with C", []string{goSource, cgoSource}, []string{"-ldflags=-s -w -linkmode=external"}},
		{"with C, position-independent", []string{goSource, cgoSource}, []string{"-buildmode=pie", "-ldflags=-s -w -linkmode=external"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if len(tt.sources) > 1 {
				t.Setenv("CGO_ENABLED", "1")
			}
			path := goProgram(t, tt.sources, tt.flags...)
			pid, line := run(t, exec.Command(path))
			at := addresses(t, line)
			s := New()
			frame := s.Frame(Process{PID: pid}, at[0])
			assert.Equal(t, "main.hold", frame.Function)
			assert.Equal(t, "a.go", filepath.Base(frame.File))
			assert.Equal(t, 10, frame.Line)
			assert.Contains(t, s.Frame(Process{PID: pid}, at[1]).Function, "take")
			checkAgainstGosym(t, path)
		})
	}
}

// checkAgainstGosym compares all functions, and some lines, with what the standard
// library makes of the table.
func checkAgainstGosym(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	m, err := readModule(file, info.Size(), file, origin{})
	require.NoError(t, err)
	require.NotNil(t, m.golang)

	f, err := image.ReadELF(file, info.Size())
	require.NoError(t, err)
	data, err := goSection(f).Bytes(1 << 30)
	require.NoError(t, err)
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, m.golang.Text))
	require.NoError(t, err)
	require.Greater(t, len(table.Funcs), 1000)
	lines := 0
	for i, want := range table.Funcs {
		if want.End == want.Entry {
			continue
		}
		found, ok := m.functions.find(want.Entry)
		require.True(t, ok)
		require.Equal(t, want.Name, named(&m.functions, found))
		require.Equal(t, want.Entry, found.start)
		if i%16 != 0 {
			continue
		}
		for pc := want.Entry; pc < want.End; pc += 7 {
			source, line := m.golang.line(pc)
			if source == "" {
				continue // inlined
			}
			wantSource, wantLine, _ := table.PCToLine(pc)
			require.Equal(t, wantSource, source)
			require.Equal(t, wantLine, line)
			lines++
		}
	}
	assert.Greater(t, lines, 1000)
}

// goTableOf returns the function table of a small Go program.
func goTableOf(path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	f, err := image.ReadELF(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil
	}
	if s := goSection(f); s != nil {
		data, _ := s.Bytes(64 << 20)
		return data
	}
	return nil
}

func FuzzGoTable(f *testing.F) {
	if data := goTableOf("/proc/self/exe"); data != nil {
		f.Add(data[:min(len(data), 4096)], uint64(0x1000), uint64(0x401010))
	}
	f.Add([]byte("\xfb\xff\xff\xff\x00\x00\x01\x08"+string(make([]byte, 100))), uint64(0), uint64(8))
	f.Add(smallGoTable(), uint64(0x1000), uint64(0x1008))
	f.Fuzz(func(t *testing.T, data []byte, text, address uint64) {
		table, err := openGoTable(bytes.NewReader(data), int64(len(data)), binary.LittleEndian)
		if err != nil {
			return
		}
		table.Text = text
		n := uint64(0)
		err = table.Walk(func(r *gopcln.Record) error {
			require.Less(t, r.Start, r.End)
			n++
			return nil
		})
		require.LessOrEqual(t, n, uint64(len(data)))
		require.True(t, err != nil || n <= table.Functions)
		source, line := table.line(address)
		require.Equal(t, source == "", line == 0)
		require.GreaterOrEqual(t, line, 0)
		require.LessOrEqual(t, len(source), maxName)
		if source != "" {
			f, ok := table.Find(address)
			require.True(t, ok && f.Start <= address && address < f.End)
		}
	})
}

// smallGoTable has one function, at 0 to 0x20, of file "f.go", line 7.
func smallGoTable() []byte {
	order := binary.LittleEndian
	data := []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}
	const start = 8 + 8*8
	parts := [][]byte{
		[]byte("\x00name\x00"),
		order.AppendUint32(nil, 0),
		[]byte("f.go\x00"),
		{0, 2, 0x20, 0, 16, 0x20, 0}, // at 1: value 0; at 4: value 7
	}
	offsets, at := []uint64{}, uint64(start)
	for _, p := range parts {
		offsets = append(offsets, at)
		at += uint64(len(p))
	}
	for _, v := range append([]uint64{1, 1, 0}, append(offsets, at)...) {
		data = order.AppendUint64(data, v)
	}
	for _, p := range parts {
		data = append(data, p...)
	}
	// The list of functions, then the record.
	for _, v := range []uint32{0, 12, 0x20, 0, 1, 0, 0, 0, 1, 4, 0, 0, 7, 0} {
		data = order.AppendUint32(data, v)
	}
	return data
}

func TestLineOfASmallGoTable(t *testing.T) {
	data := smallGoTable()
	table, err := openGoTable(bytes.NewReader(data), int64(len(data)), binary.LittleEndian)
	require.NoError(t, err)
	table.Text = 0x1000
	source, line := table.line(0x101f)
	assert.Equal(t, "f.go", source)
	assert.Equal(t, 7, line)
	source, line = table.line(0x1020)
	assert.Empty(t, source)
	assert.Zero(t, line)
}
