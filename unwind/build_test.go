// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const libc = "/lib/x86_64-linux-gnu/libc.so.6"

// cSource waits in its innermost function: called straight, or with an argument from
// the handler of a signal that came while interrupted was working. Outer has a frame
// whose size only run time knows.
const cSource = `
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#define KEEP __attribute__((noinline, noclone))
static volatile int sink;
KEEP int innermost(int n) { char room[160]; memset(room, n, sizeof room); sink += room[n & 7]; pause(); return sink; }
KEEP int middle(int n) { return innermost(n + 1) + 1; }
KEEP int outer(int n) { volatile char *p = alloca(n * 16 + 16); p[0] = (char)n; return middle(n) + p[0]; }
static void handler(int s) { middle(s); }
KEEP void interrupted(void)
{
	struct itimerval soon = { .it_value = { .tv_usec = 1000 } };
	setitimer(ITIMER_REAL, &soon, NULL);
	for (;;) sink++;
}
static void *thread(void *argument) { outer(argument ? 1 : 2); return argument; }
int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 2) { signal(SIGALRM, handler); interrupted(); }
	if (argc == 3) { pthread_t id; pthread_create(&id, NULL, thread, &id); pthread_join(id, NULL); }
	return outer(argc) + 1;
}
`

// build compiles cSource with cc and returns the path of the program.
func build(t testing.TB, flags ...string) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	return buildWith(t, compiler, flags...)
}

func buildWith(t testing.TB, compiler string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path+".c", []byte(cSource), 0o600))
	run(t, compiler, append([]string{"-o", path, path + ".c", "-pthread"}, flags...)...)
	return path
}

// goSource waits in a system call, below functions of several frame sizes.
const goSource = `package main

import (
	"os"
	"strings"
	"syscall"
)

//go:noinline
func innermost(n int) int { var room [300]byte; room[n] = 1; syscall.Syscall(syscall.SYS_PAUSE, 0, 0, 0); return int(room[0]) }

//go:noinline
func middle(n int) int { return innermost(n) + n }

//go:noinline
func outer(n int) string { return strings.Repeat("x", middle(n)) }

func main() {
	os.Stdout.WriteString(outer(len(os.Args)))
}
`

// buildGo compiles goSource.
func buildGo(t testing.TB, environment []string, flags ...string) string {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(goSource), 0o600))
	cmd := exec.Command(tool, append(append([]string{"build", "-o", path}, flags...), filepath.Join(dir, "main.go"))...)
	cmd.Env = append(os.Environ(), environment...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

func run(t testing.TB, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(t, err, string(out))
	return out
}

func contents(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skip("no " + path)
	}
	require.NoError(t, err)
	return data
}

func readTable(t testing.TB, data []byte) *Table {
	t.Helper()
	table, err := Read(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	return table
}

// withoutSections returns a copy of an ELF file whose headers speak of no sections.
func withoutSections(data []byte) []byte {
	const shoff, shnum = 40, 60
	data = bytes.Clone(data)
	binary.LittleEndian.PutUint64(data[shoff:], 0)
	binary.LittleEndian.PutUint32(data[shnum:], 0) // and the index of their names
	return data
}

// codeOf returns the range of .text.
func codeOf(t testing.TB, data []byte) (start, end uint64) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	require.NoError(t, err)
	text := f.Section(".text")
	require.NotNil(t, text)
	return text.Addr, text.Addr + text.Size
}

// writeFile returns the path of a file with these contents.
func writeFile(t testing.TB, data []byte) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	_, err = f.Write(data)
	require.NoError(t, errors.Join(err, f.Close()))
	return f.Name()
}
