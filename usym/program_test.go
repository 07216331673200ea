// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(path+".c", []byte(source), 0o600))
	args := append([]string{"-O1", "-o", path, path + ".c", "-pthread"}, flags...)
	out, err := exec.Command(compiler, args...).CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

// start runs the program until the test ends.
func start(t *testing.T, path string) program {
	t.Helper()
	cmd := exec.Command(path)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait() // its exit code is arbitrary
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	p := program{pid: cmd.Process.Pid}
	_, err = fmt.Sscanf(line, "0x%x 0x%x 0x%x 0x%x 0x%x", &p.global, &p.local, &p.sized, &p.unsized, &p.library)
	require.NoError(t, err)
	return p
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
				frame := s.Frame(p.pid, address)
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
				frame := s.Frame(p.pid, p.library)
				assert.Equal(t, "pthread_mutex_lock", frame.Function)
				assert.Equal(t, tt.library, frame.Module)
			}
		})
	}
}

func TestFramesLookUpReturnAddressesOneByteEarlier(t *testing.T) {
	p := start(t, build(t))
	stack := New().Frames(p.pid, []uint64{p.sized, p.sized + 4, p.sized + 5, p.global})
	require.Len(t, stack, 4)
	assert.Equal(t, "sized", stack[0].Function, "the innermost is exact")
	assert.Equal(t, "sized", stack[1].Function, "a call was the last instruction")
	assert.Equal(t, contention.Address(p.sized+4), stack[1].Address)
	assert.Empty(t, stack[2].Function)
	assert.NotEqual(t, "global_function", stack[3].Function)
}

func TestFrameOfAStrippedProgram(t *testing.T) {
	p := start(t, build(t, "-s"))
	frame := New().Frame(p.pid, p.global)
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
	frame := New().Frame(p.pid, p.global)
	assert.Equal(t, "global_function", frame.Function)
	assert.Equal(t, "program", frame.Module)
}

func TestSymbolsAreSharedByProcesses(t *testing.T) {
	path := build(t, "-static")
	a, b := start(t, path), start(t, path)
	s := New()
	require.Equal(t, "global_function", s.Frame(a.pid, a.global).Function)
	require.Equal(t, "global_function", s.Frame(b.pid, b.global).Function)
	assert.Len(t, s.files, 1)

	// What replaces the file is not taken for it.
	c := start(t, build(t, "-static", "-Dglobal_function=renamed"))
	assert.Equal(t, "renamed", s.Frame(c.pid, c.global).Function)
	assert.Len(t, s.files, 2)
}
