// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/matrix/guest"
)

// deadline is how long a test waits for what must come.
const deadline = 20 * time.Second

// asCommand is the variable that makes the test binary the command it tests.
const asCommand = "EBPF_RCA_TEST_AS_COMMAND"

// shelf is a folder that any user can read, for what is built once for all tests.
var shelf string

func TestMain(m *testing.M) {
	// In a guest there is no environment to say so.
	inGuest := guest.IsInit() || os.Args[0] == matrix.ProgramPath
	if os.Getenv(asCommand) != "" || inGuest {
		if os.Getenv(withoutBTF) != "" {
			if err := hideBTF(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		main()
	}
	os.Exit(testAll(m))
}

func testAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ebpf-rca-test-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
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

// result is what a command did.
type result struct {
	code           int
	stdout, stderr string
}

// do carries out a command within this process.
func do(t testing.TB, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// binary is the command as a program that any user can run.
func binary(t testing.TB) string {
	t.Helper()
	path := filepath.Join(shelf, "ebpf-rca")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	self, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, self, 0o755))
	return path
}

// command prepares the command as a process of its own.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.Dir = "/"
	return cmd
}

// finish runs cmd to its end.
func finish(t testing.TB, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// needRoot skips a test where there is no privilege, unless that was promised.
func needRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 && os.Getenv("REQUIRE_BPF") != "1" {
		t.Skip("needs root")
	}
}

// poll asks again and again until done says yes.
func poll(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !done(); {
		require.True(t, time.Now().Before(end), "no %s within %v", what, deadline)
		time.Sleep(2 * time.Millisecond)
	}
}
