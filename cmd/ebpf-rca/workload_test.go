// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/harness/ledger"
)

const sources = "../../scenarios/workload"

// stage provides workloads of the catalogue, once for all tests, and returns their
// folder.
func stage(t testing.TB, names ...string) string {
	t.Helper()
	dir := filepath.Join(shelf, "workloads")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range names {
		program := filepath.Join(dir, name)
		if _, err := os.Stat(program); err != nil && !copyBuilt(t, program) {
			compile(t, program, filepath.Join(sources, name+".c"), filepath.Join(sources, "lib"))
		}
	}
	return dir
}

// copyBuilt copies a workload that make has built, unless it is older than a source.
func copyBuilt(t testing.TB, program string) bool {
	t.Helper()
	name := filepath.Base(program)
	built := filepath.Join("../../bin/workloads", name)
	info, err := os.Stat(built)
	if err != nil {
		return false
	}
	shared, err := filepath.Glob(filepath.Join(sources, "lib", "*"))
	require.NoError(t, err)
	for _, source := range append(shared, filepath.Join(sources, name+".c")) {
		if of, err := os.Stat(source); err != nil || of.ModTime().After(info.ModTime()) {
			return false
		}
	}
	data, err := os.ReadFile(built)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, data, 0o755))
	return true
}

// compile builds one workload from its source and the folder of what all share.
func compile(t testing.TB, program, source, lib string) {
	t.Helper()
	shared, err := filepath.Glob(filepath.Join(lib, "*.c"))
	require.NoError(t, err)
	args := []string{"-O2", "-fno-optimize-sibling-calls", "-pthread", "-std=gnu11",
		"-I" + lib, "-o", program, source}
	out, err := exec.Command("cc", append(args, shared...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// performance is a workload that plays.
type performance struct {
	pid    int
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  *bufio.Reader
	ledger string
}

// longEnough is longer than any test performs a workload. Its ledger has room for as
// long, so that more would cost memory.
const longEnough = 40 * time.Second

// perform starts a workload with its fault and lets its threads loose. It is killed when the test
// ends.
func perform(t testing.TB, program string, seed int) *performance {
	t.Helper()
	p := &performance{ledger: filepath.Join(t.TempDir(), "ledger")}
	p.cmd = exec.Command(program, "--variant=fault", fmt.Sprintf("--seed=%d", seed), "--hold-ns=50000000",
		"--contenders=4", fmt.Sprintf("--duration-ns=%d", longEnough.Nanoseconds()), "--ledger="+p.ledger)
	p.cmd.Stderr = os.Stderr
	var err error
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	p.pid, p.lines = p.cmd.Process.Pid, bufio.NewReader(stdout)
	p.hear(t, "ready")
	_, err = io.WriteString(p.stdin, "go\n")
	require.NoError(t, err)
	return p
}

func (p *performance) hear(t testing.TB, want string) {
	t.Helper()
	line, err := p.lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, want, strings.TrimSpace(line))
}

// truth reads what the workload has written down so far.
func (p *performance) truth(t testing.TB) *ledger.Ledger {
	t.Helper()
	f, err := os.Open(p.ledger)
	require.NoError(t, err)
	defer f.Close()
	l, err := ledger.Read(f)
	require.NoError(t, err)
	return l
}

// culprit is the thread that a ledger calls so.
func culprit(t testing.TB, l *ledger.Ledger) (tid, index int) {
	t.Helper()
	for i, thread := range l.Threads {
		if thread.Culprit {
			return thread.TID, i
		}
	}
	require.Fail(t, "no culprit in the ledger")
	return 0, 0
}
