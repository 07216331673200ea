// SPDX-License-Identifier: Apache-2.0

package load

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/os2026/ebpf-rca/harness"
)

// shelf is a folder for what is built once for all tests.
var shelf string

func TestMain(m *testing.M) { os.Exit(testAll(m)) }

func testAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "load-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	shelf = dir
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// built builds a program of ours.
func built(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(shelf, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	lib, err := filepath.Glob("programs/lib/*.c")
	require.NoError(t, err)
	args := []string{"-O2", "-pthread", "-std=gnu11", "-Iprograms/lib", "-o", path, "programs/" + name + ".c"}
	out, err := exec.Command("cc", append(args, lib...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// fake puts a program that does what a script says into a folder that is the only one in
// PATH beside those of the shell.
func fake(t *testing.T, name, script string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755))
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return dir
}

// do runs a few units of a load and checks what is true of all.
func do(t *testing.T, l Load) Took {
	t.Helper()
	source, err := l.Open(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, source.Close()) }()
	run, err := source.Start(t.Context(), source.Few())
	require.NoError(t, err)
	defer run.Close()
	require.DirExists(t, fmt.Sprintf("/proc/%d", run.PID()))
	begun := 0
	took, err := run.Do(t.Context(), func() { begun++ })
	require.NoError(t, err)
	assert.Equal(t, 1, begun)
	assert.Positive(t, took.CPU)
	assert.Positive(t, took.Wall)
	run.Close()
	return took
}

func TestAllLoads(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	names := map[string]bool{}
	for _, l := range All(t.TempDir()) {
		assert.False(t, names[l.Name()], "%s is there twice", l.Name())
		names[l.Name()] = true
		if _, ok := l.(postgres); ok {
			continue // it is looked for elsewhere, too
		}
		_, err := l.Open(t.Context())
		require.ErrorIs(t, err, harness.ErrAbsent, l.Name())
	}
	assert.Len(t, names, 6)
}
