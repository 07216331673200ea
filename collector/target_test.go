// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var compiled struct {
	sync.Mutex
	dir string
}

// compile builds testdata/NAME.c once for all tests.
func compile(t testing.TB, name string) string {
	t.Helper()
	compiled.Lock()
	defer compiled.Unlock()
	if compiled.dir == "" {
		dir, err := os.MkdirTemp("", "collector-test-")
		require.NoError(t, err)
		// Other users are to run what is in it.
		require.NoError(t, os.Chmod(dir, 0o755))
		compiled.dir = dir
	}
	program := filepath.Join(compiled.dir, name)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	out, err := exec.Command("cc", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread",
		"-o", program, filepath.Join("testdata", name+".c")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

func removeTargets() {
	if compiled.dir != "" {
		os.RemoveAll(compiled.dir)
	}
}

// target is a process to be watched.
type target struct {
	pid   int
	said  map[string]uint64 // by its first line
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
}

// startTarget runs a mode of testdata/target.c and waits until it is set up. It is
// killed when the test ends.
func startTarget(t testing.TB, mode ...string) *target {
	t.Helper()
	return startCommand(t, exec.Command(compile(t, "target"), mode...))
}

func startCommand(t testing.TB, cmd *exec.Cmd) *target {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	p := &target{pid: cmd.Process.Pid, cmd: cmd, stdin: stdin, lines: bufio.NewReader(stdout)}
	t.Cleanup(p.end)
	p.said = p.read(t)
	return p
}

func (p *target) end() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// read takes one line of NAME=VALUE pairs.
func (p *target) read(t testing.TB) map[string]uint64 {
	t.Helper()
	line, err := p.lines.ReadString('\n')
	require.NoError(t, err, "the target ended early")
	said := make(map[string]uint64)
	for _, pair := range strings.Fields(line) {
		name, value, _ := strings.Cut(pair, "=")
		said[name], err = strconv.ParseUint(value, 0, 64)
		require.NoError(t, err)
	}
	return said
}

// proceed has the target do what it does once.
func (p *target) proceed(t testing.TB) {
	t.Helper()
	_, err := p.stdin.Write([]byte{'\n'})
	require.NoError(t, err)
}

// awaitSleep waits until the thread sleeps.
func awaitSleep(t testing.TB, pid int) {
	t.Helper()
	poll(t, fmt.Sprintf("sleep of process %d", pid), func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		require.NoError(t, err)
		_, rest, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(rest, "S")
	})
}
