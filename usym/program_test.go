// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// source prints where its functions are and waits until its input is closed. Sized
// is 4 bytes long by its symbol and more in truth; unsized has no size.
const source = `
#include <pthread.h>
#include <stdio.h>
__attribute__((noinline)) int global_function(int x) { return x + 1; }
__attribute__((noinline)) static int local_function(int x) { return x + 2; }
__asm__(".text\n"
	".type sized, @function\nsized: nop; nop; nop; nop\n.size sized, 4\n.skip 60, 0x90\n"
	".type unsized, @function\nunsized: .skip 64, 0x90\n");
extern char sized[], unsized[];
int main(int argc, char **argv)
{
	(void)argv;
	printf("%p %p %p %p %p\n", (void *)global_function, (void *)local_function, (void *)sized,
	       (void *)unsized, (void *)pthread_mutex_lock);
	fflush(stdout);
	return global_function(argc) + local_function(argc) + getchar();
}
`

type program struct {
	pid                                    int
	global, local, sized, unsized, library uint64
}

// build compiles source to a file named program in a new folder.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	return compile(t, "cc", "c", source, append([]string{"-O1", "-pthread"}, flags...)...)
}

// compile compiles text to a file named program in a new folder.
func compile(t *testing.T, compiler, extension, text string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	code := path + "." + extension
	require.NoError(t, os.WriteFile(code, []byte(text), 0o600))
	tool(t, compiler, append([]string{"-o", path, code}, flags...)...)
	return path
}

// tool runs a program that the test can do nothing without.
func tool(t *testing.T, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s", name)
	}
	out, err := exec.Command(path, args...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// start runs the program until the test ends.
func start(t *testing.T, path string) program {
	t.Helper()
	pid, line := run(t, exec.Command(path))
	p := program{pid: pid}
	_, err := fmt.Sscanf(line, "0x%x 0x%x 0x%x 0x%x 0x%x", &p.global, &p.local, &p.sized, &p.unsized, &p.library)
	require.NoError(t, err)
	return p
}

// run starts a program, which ends when its input is closed, and returns the first
// line that it prints.
func run(t *testing.T, cmd *exec.Cmd) (pid int, line string) {
	t.Helper()
	_, lines := begin(t, cmd)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	return cmd.Process.Pid, line
}

// begin starts a program until the test ends.
func begin(t *testing.T, cmd *exec.Cmd) (io.Writer, *bufio.Reader) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait() // its exit code is arbitrary
	})
	return stdin, bufio.NewReader(stdout)
}

// addresses reads numbers in hexadecimal.
func addresses(t *testing.T, line string) []uint64 {
	t.Helper()
	var list []uint64
	for _, field := range strings.Fields(line) {
		a, err := strconv.ParseUint(strings.TrimPrefix(field, "0x"), 16, 64)
		require.NoError(t, err)
		list = append(list, a)
	}
	return list
}

func TestFrameOfAProgram(t *testing.T) {
	tests := []struct {
		name    string
		flags   []string
		library string // the module that pthread_mutex_lock is in
	}{
		{"position-independent", []string{"-fPIE", "-pie"}, "libc.so.6"},
		{"fixed", []string{"-fno-pie", "-no-pie"}, "libc.so.6"},
		{"static", []string{"-static"}, "program"},
		{"static position-independent", []string{"-fPIE", "-static-pie"}, "program"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := start(t, build(t, tt.flags...))
			s := New()
			named := func(address uint64) string {
				frame := s.Frame(Process{PID: p.pid}, address)
				assert.Equal(t, "program", frame.Module)
				assert.Equal(t, contention.Address(address), frame.Address)
				return frame.Function
			}
			assert.Equal(t, "global_function", named(p.global))
			assert.Equal(t, "global_function", named(p.global+1))
			assert.Equal(t, "local_function", named(p.local))
			assert.Equal(t, "sized", named(p.sized+3))
			assert.Empty(t, named(p.sized+4), "past the end of a symbol of known size")
			assert.Empty(t, named(p.unsized-1))
			assert.Equal(t, "unsized", named(p.unsized))
			assert.Equal(t, "unsized", named(p.unsized+63))

			if tt.library == "program" || p.library>>40 != 0 { // else the address is that of the stub
				frame := s.Frame(Process{PID: p.pid}, p.library)
				assert.Equal(t, "pthread_mutex_lock", frame.Function)
				assert.Equal(t, tt.library, frame.Module)
			}
		})
	}
}

func TestFramesLookUpReturnAddressesOneByteEarlier(t *testing.T) {
	p := start(t, build(t))
	stack := New().Frames(Process{PID: p.pid}, []uint64{p.sized, (p.sized + 4) | ReturnAddress, (p.sized + 5) | ReturnAddress, p.global | ReturnAddress})
	require.Len(t, stack, 4)
	assert.Equal(t, "sized", stack[0].Function, "the innermost is exact")
	assert.Equal(t, "sized", stack[1].Function, "a call was the last instruction")
	assert.Equal(t, contention.Address(p.sized+4), stack[1].Address)
	assert.Empty(t, stack[2].Function)
	assert.NotEqual(t, "global_function", stack[3].Function)
}

func TestFrameOfAStrippedProgram(t *testing.T) {
	p := start(t, build(t, "-s"))
	frame := New().Frame(Process{PID: p.pid}, p.global)
	assert.Empty(t, frame.Function)
	assert.Equal(t, "program", frame.Module)
	assert.Less(t, frame.Offset, contention.Address(1<<20), "the place in the file, not in memory")
	assert.Equal(t, contention.Address(p.global)&0xfff, frame.Offset&0xfff)
}

func TestFrameOfADeletedProgram(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs CAP_CHECKPOINT_RESTORE")
	}
	path := build(t)
	p := start(t, path)
	require.NoError(t, os.Remove(path))
	frame := New().Frame(Process{PID: p.pid}, p.global)
	assert.Equal(t, "global_function", frame.Function)
	assert.Equal(t, "program", frame.Module)
}

func TestSymbolsAreSharedByProcesses(t *testing.T) {
	path := build(t, "-static")
	a, b := start(t, path), start(t, path)
	s := New()
	require.Equal(t, "global_function", s.Frame(Process{PID: a.pid}, a.global).Function)
	require.Equal(t, "global_function", s.Frame(Process{PID: b.pid}, b.global).Function)
	assert.Len(t, s.cache.entries, 1)

	// What replaces the file is not taken for it.
	c := start(t, build(t, "-static", "-Dglobal_function=renamed"))
	assert.Equal(t, "renamed", s.Frame(Process{PID: c.pid}, c.global).Function)
	assert.Len(t, s.cache.entries, 2)
}
