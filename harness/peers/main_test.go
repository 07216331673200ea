// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); code == 0 && err == nil {
		fmt.Fprintln(os.Stderr, "a child is left")
		code = 1
	}
	os.Exit(code)
}

// fakeTool is a program that does what a script says, the only one in PATH beside those of
// the shell.
func fakeTool(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return path
}

// victim is a process to be watched; it lives as long as the test.
func victim(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// untilInterrupted is a script that then runs last.
func untilInterrupted(first, last string) string {
	return "trap 'kill $!; " + last + "' INT\n" + first + "\nsleep 1000 & wait\n"
}
