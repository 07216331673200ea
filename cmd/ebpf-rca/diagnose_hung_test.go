// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// startTarget starts a program of the collector's tests, and returns its pid and what it says.
func startTarget(t *testing.T, name string) (pid int, said string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	out, err := exec.Command("cc", "-O1", "-pthread", "-o", program,
		filepath.Join("..", "..", "collector", "testdata", name+".c")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.Command(program)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	said, err = bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return cmd.Process.Pid, said
}

// A program that hangs is looked at when it hangs already.
func TestDiagnoseOfWhatHangsAlready(t *testing.T) {
	needRoot(t)
	pid, said := startTarget(t, "hung")
	var left, right, heir, dead, sleeper int
	_, err := fmt.Sscanf(said, "left=%d right=%d heir=%d dead=%d sleeper=%d", &left, &right, &heir, &dead, &sleeper)
	require.NoError(t, err)

	r := do(t, "diagnose", "--json", "-p", itoa(pid), "-d", "1500ms")
	require.Equal(t, exitGood, r.code, r.stderr)
	found := make(map[contention.Class]contention.Finding)
	for _, f := range diagnoses(t, r.stdout)[0].Findings {
		found[f.Class] = f
	}
	require.Len(t, found, 3, r.stdout)

	var circle []int
	for _, c := range found[contention.Deadlock].Culprits {
		circle = append(circle, c.TID)
	}
	assert.ElementsMatch(t, []int{left, right}, circle)
	for class, victim := range map[contention.Class]int{contention.LockHolder: heir, contention.LostWakeup: sleeper} {
		assert.Nil(t, found[class].Culprit, class)
		require.Len(t, found[class].Victims, 1, class)
		assert.Equal(t, victim, found[class].Victims[0].TID, class)
	}
	assert.Equal(t, dead, found[contention.LockHolder].Chain[0].Holder)
}
