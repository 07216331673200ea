// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/image"
)

// madeCode maps a page of code without a file.
func madeCode(t *testing.T) uint64 {
	t.Helper()
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, syscall.Munmap(page)) })
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(page))))
}

// writePerfMap writes the map of this process, which must not have one.
func writePerfMap(t *testing.T, lines ...string) string {
	t.Helper()
	path := fmt.Sprintf("/tmp/perf-%d.map", os.Getpid())
	require.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	t.Cleanup(func() { os.Remove(path) })
	return path
}

func TestNamesOfAJITCompiler(t *testing.T) {
	at, self := madeCode(t), os.Getpid()
	clock := time.Unix(1, 0)
	s := New()
	s.now = func() time.Time { return clock }
	assert.Empty(t, s.Frame(Process{PID: self}, at).Function, "there is no map yet")

	writePerfMap(t, "0 7fffffffffffffff everything else", fmt.Sprintf("%x 10 LazyCompile:*work app.js:7", at))
	assert.Empty(t, s.Frame(Process{PID: self}, at).Function, "looked at a moment ago")
	clock = clock.Add(refreshInterval)
	assert.Equal(t, contention.Frame{
		Function: "LazyCompile:*work app.js:7", Module: "[jit]", Address: contention.Address(at + 5),
	}, s.Frame(Process{PID: self}, at+5))
	assert.Equal(t, "everything else", s.Frame(Process{PID: self}, at+16).Function)
}

func TestAJITMapThatGrew(t *testing.T) {
	at, self := madeCode(t), os.Getpid()
	path := writePerfMap(t, fmt.Sprintf("%x 10 first", at))
	clock := time.Unix(1, 0)
	s := New()
	s.now = func() time.Time { return clock }
	assert.Equal(t, "first", s.Frame(Process{PID: self}, at).Function)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = fmt.Fprintf(f, "%x 10 second\n", at+0x10)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	assert.Empty(t, s.Frame(Process{PID: self}, at+0x10).Function, "read a moment ago")
	clock = clock.Add(time.Minute)
	assert.Equal(t, "second", s.Frame(Process{PID: self}, at+0x10).Function)
	assert.Equal(t, "first", s.Frame(Process{PID: self}, at).Function)

	s.Forget(self)
	require.NoError(t, os.Remove(path))
	assert.Empty(t, s.Frame(Process{PID: self}, at).Function, "nothing is left of it")
}

// Code of a file, data and what is not mapped have no name from the map.
func TestAJITMapNamesOnlyWhatIsMadeAtRunTime(t *testing.T) {
	writePerfMap(t, "0 7fffffffffffffff everything")
	code := madeCode(t)
	p := start(t, build(t, "-s"))
	s := New()
	assert.Empty(t, s.Frame(Process{PID: p.pid}, p.local).Function)
	self := os.Getpid()
	data, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	require.NoError(t, err)
	defer func() { assert.NoError(t, syscall.Munmap(data)) }()
	assert.Empty(t, s.Frame(Process{PID: self}, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data))))).Function)
	assert.Empty(t, s.Frame(Process{PID: self}, 16).Function)
	assert.Equal(t, "everything", s.Frame(Process{PID: self}, code).Function)
}

func TestAJITMapThatMayBeAnothers(t *testing.T) {
	at, self := madeCode(t), os.Getpid()
	line := fmt.Sprintf("%x 10 name", at)
	functions := func() string { return New().Frame(Process{PID: self}, at).Function }

	t.Run("good", func(t *testing.T) {
		writePerfMap(t, line)
		assert.Equal(t, "name", functions())
	})
	t.Run("a link", func(t *testing.T) {
		path := writePerfMap(t, line)
		require.NoError(t, os.Rename(path, path+".other"))
		defer os.Remove(path + ".other")
		require.NoError(t, os.Symlink(path+".other", path))
		assert.Empty(t, functions())
	})
	t.Run("a FIFO", func(t *testing.T) {
		path := writePerfMap(t, line)
		require.NoError(t, os.Remove(path))
		require.NoError(t, syscall.Mkfifo(path, 0o600))
		assert.Empty(t, functions())
	})
	t.Run("another user's", func(t *testing.T) {
		requireRoot(t)
		path := writePerfMap(t, line)
		require.NoError(t, os.Chown(path, 12345, 0))
		assert.Empty(t, functions())
	})
	t.Run("of an earlier process", func(t *testing.T) {
		path := writePerfMap(t, line)
		old := time.Now().Add(-24 * time.Hour * 365)
		require.NoError(t, os.Chtimes(path, old, old))
		assert.Empty(t, functions())
	})
}

// A process in a pid namespace names its map by the pid it knows.
func TestAJITMapInAPIDNamespace(t *testing.T) {
	requireRoot(t)
	program := compile(t, "cc", "c", `
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	void *code = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	FILE *f = fopen(path, "w");
	fprintf(f, "%lx 10 inside %d\n", (unsigned long)code, (int)getpid());
	fclose(f);
	printf("%p\n", code);
	fflush(stdout);
	return getchar();
}
`, "-static")
	there := t.TempDir()
	cmd := exec.Command("/bin/sh", "-e", "-c",
		`mount --make-rprivate /; cp "$1" "$2/program"; mkdir "$2/tmp"; exec chroot "$2" /program`, "sh", program, there)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID}
	pid, line := run(t, cmd)
	at := addresses(t, line)
	assert.FileExists(t, filepath.Join(there, "tmp", "perf-1.map"))
	frame := New().Frame(Process{PID: pid}, at[0])
	assert.Equal(t, "inside 1", frame.Function)
	assert.Equal(t, "[jit]", frame.Module)
}

func TestMayHold(t *testing.T) {
	const x = image.Read | image.Execute
	for _, m := range []image.Mapping{
		{Permissions: x}, {Permissions: x, Path: "[anon:v8]"}, {Permissions: x, Path: "/dev/zero", Inode: 1},
		{Path: "[heap]"}, {Path: "/memfd:doublemapper", Inode: 2},
	} {
		assert.True(t, mayHold(m), "%+v", m)
	}
	for _, m := range []image.Mapping{
		{}, {Permissions: x, Path: "/usr/lib/libc.so.6", Inode: 1}, {Permissions: x, Path: "[vdso]"},
		{Permissions: x, Path: "[vsyscall]"}, {Permissions: x, Path: "[uprobes]"}, {Path: "[stack]"}, {Path: "/dev/zero", Inode: 1},
	} {
		assert.False(t, mayHold(m), "%+v", m)
	}
}
