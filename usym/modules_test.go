// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func requireRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
}

func TestFrameOfAReplacedProgram(t *testing.T) {
	requireRoot(t)
	path := build(t)
	p := start(t, path)
	require.NoError(t, os.Rename(build(t, "-Dglobal_function=renamed"), path))
	assert.Equal(t, "global_function", New().Frame(Process{PID: p.pid}, p.global).Function)
	again := start(t, path)
	assert.Equal(t, "renamed", New().Frame(Process{PID: again.pid}, again.global).Function)
}

// inNamespace runs a shell script, as root of a mount namespace of its own, that ends
// by executing the program.
func inNamespace(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	requireRoot(t)
	cmd := exec.Command("/bin/sh", append([]string{"-e", "-c", "mount --make-rprivate /; " + script, "sh"}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	return cmd
}

// The path of a program in another mount namespace means nothing here.
func TestFrameInAnotherMountNamespace(t *testing.T) {
	path := build(t, "-static")
	there := t.TempDir()
	cmd := inNamespace(t, `mount -t tmpfs none "$2"; cp "$1" "$2/hidden"; exec "$2/hidden"`, path, there)
	pid, line := run(t, cmd)
	at := addresses(t, line)
	assert.NoFileExists(t, filepath.Join(there, "hidden"))
	frame := New().Frame(Process{PID: pid}, at[0])
	assert.Equal(t, "global_function", frame.Function)
	assert.Equal(t, "hidden", frame.Module)
}

// A debug file is looked for where the process would find it.
func TestDebugFileByBuildIDInAnotherMountNamespace(t *testing.T) {
	path, debug := stripped(t, "-Wl,--build-id=0x77aabbccddeeff00")
	script := `mount -t tmpfs none /usr/lib/debug; mkdir -p /usr/lib/debug/.build-id/77
cp "$2" /usr/lib/debug/.build-id/77/aabbccddeeff00.debug; exec "$1"`
	pid, line := run(t, inNamespace(t, script, path, debug))
	at := addresses(t, line)
	assert.Equal(t, "local_function", New().Frame(Process{PID: pid}, at[1]).Function)

	// The same where the program itself cannot be opened: by what is in its memory.
	s := New()
	mapping, ok := s.Locate(Process{PID: pid}, at[1])
	require.True(t, ok)
	key, m, err := s.loadByBuildID(pid, s.processes[Process{PID: pid}], mapping)
	require.NoError(t, err)
	assert.Equal(t, fileKey{buildID: "77aabbccddeeff00"}, key)
	assert.Equal(t, "local_function", functionAt(m, mapping.FileOffset(at[1])))
	m.close()

	// Another's id is refused.
	other, _ := stripped(t, "-Wl,--build-id=0x77aabbccddeeff01")
	script = strings.Replace(script, "ff00.debug", "ff01.debug", 1)
	pid, line = run(t, inNamespace(t, script, other, debug))
	assert.Empty(t, New().Frame(Process{PID: pid}, addresses(t, line)[1]).Function)
}

const library = `
int FUNCTION(int x);
__attribute__((noinline)) int FUNCTION(int x) { return x + 1; }
`

// loader maps a library when it is told to, and prints where its function is.
const loader = `
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
	char line[4096], *name, *path;
	void *last = 0;
	setvbuf(stdout, 0, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		name = strtok(line, " ");
		path = strtok(0, " ");
		if (last)
			dlclose(last);
		last = dlopen(path, RTLD_NOW);
		printf("%p\n", last ? dlsym(last, name) : 0);
	}
	return 0;
}
`

func TestFrameOfALibraryLoadedLate(t *testing.T) {
	one := compile(t, "cc", "c", library, "-shared", "-fPIC", "-DFUNCTION=one")
	two := compile(t, "cc", "c", library, "-shared", "-fPIC", "-DFUNCTION=two")
	cmd := exec.Command(compile(t, "cc", "c", loader, "-ldl"))
	in, out := begin(t, cmd)
	_, err := out.ReadString('\n')
	require.NoError(t, err)

	clock := time.Unix(1, 0)
	s := New()
	s.now = func() time.Time { return clock }
	assert.Empty(t, s.Frame(Process{PID: cmd.Process.Pid}, 0x1000).Function) // the maps are read

	at := load(t, in, out, "one", one)
	assert.Empty(t, s.Frame(Process{PID: cmd.Process.Pid}, at).Function, "the maps are new")
	clock = clock.Add(refreshInterval)
	assert.Equal(t, "one", s.Frame(Process{PID: cmd.Process.Pid}, at).Function)

	again := load(t, in, out, "two", two)
	if again != at {
		t.Skip("the second library is not where the first was")
	}
	clock = clock.Add(staleAfter)
	assert.Equal(t, "two", s.Frame(Process{PID: cmd.Process.Pid}, at).Function, "another library in the same place")
}

func load(t *testing.T, in io.Writer, out *bufio.Reader, function, path string) uint64 {
	t.Helper()
	_, err := fmt.Fprintln(in, function, path)
	require.NoError(t, err)
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	at := addresses(t, strings.Replace(line, "(nil)", "0", 1))[0]
	require.NotZero(t, at)
	return at
}

// executing is a program that executes another once it has read a line.
const executing = `
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int FUNCTION(int x) { return x + 1; }
int main(int argc, char **argv)
{
	char line[16];
	printf("%p\n", (void *)FUNCTION);
	fflush(stdout);
	if (!fgets(line, sizeof line, stdin))
		return 0;
	execv(argv[1], argv + 1);
	return FUNCTION(argc);
}
`

func TestFrameOfAProcessThatExecutedAnother(t *testing.T) {
	one := compile(t, "cc", "c", executing, "-O1", "-static", "-no-pie", "-DFUNCTION=one")
	two := compile(t, "cc", "c", executing, "-O1", "-static", "-no-pie", "-DFUNCTION=two")
	cmd := exec.Command(one, two)
	in, out := begin(t, cmd)
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	at, pid := addresses(t, line)[0], cmd.Process.Pid

	clock := time.Unix(1, 0)
	told, left := New(), New()
	left.now = func() time.Time { return clock }
	for _, s := range []*Symbolizer{told, left} {
		require.Equal(t, "one", s.Frame(Process{PID: pid}, at).Function)
	}
	_, err = fmt.Fprintln(in)
	require.NoError(t, err)
	line, err = out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, at, addresses(t, line)[0], "built alike")

	told.Forget(pid)
	assert.Equal(t, "two", told.Frame(Process{PID: pid}, at).Function)
	clock = clock.Add(staleAfter)
	assert.Equal(t, "two", left.Frame(Process{PID: pid}, at).Function)
}

func TestTablesThatWereDroppedAreReadAgain(t *testing.T) {
	p := start(t, build(t))
	s := New()
	s.cache.limit = 1 // only one stays
	for range 3 {
		assert.Equal(t, "global_function", s.Frame(Process{PID: p.pid}, p.global).Function)
		assert.Equal(t, "pthread_mutex_lock", s.Frame(Process{PID: p.pid}, p.library).Function)
		assert.Len(t, s.cache.entries, 1)
	}
	s.Close()
	assert.Empty(t, s.cache.entries)
	assert.Equal(t, "global_function", s.Frame(Process{PID: p.pid}, p.global).Function)
}
