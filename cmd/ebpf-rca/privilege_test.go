// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// withoutBTF is the variable that has the test binary hide the kernel's types before
// it becomes the command.
const withoutBTF = "EBPF_RCA_TEST_WITHOUT_BTF"

// hideBTF empties /sys/kernel/btf for this process, which must have a mount namespace
// of its own.
func hideBTF() error {
	return errors.Join(
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("none", "/sys/kernel/btf", "tmpfs", 0, ""),
	)
}

// crippled are the commands that watch, each without what that takes.
func crippled(t *testing.T, change func(*exec.Cmd)) map[string]result {
	t.Helper()
	workloads := stage(t, "mutex-hold")
	p := perform(t, filepath.Join(workloads, "mutex-hold"), 1)
	mark := filepath.Join(t.TempDir(), "mark")
	out := filepath.Join(shelf, "out-"+filepath.Base(t.Name()))
	results := make(map[string]result)
	for name, args := range map[string][]string{
		"doctor":          {"doctor"},
		"doctor --json":   {"doctor", "--json"},
		"diagnose -p":     {"diagnose", "-p", itoa(p.pid)},
		"diagnose -- CMD": {"diagnose", "--", "touch", mark},
		"run":             {"run", "--run", "^mutex-hold$", "--out", out, "--workloads", workloads},
	} {
		cmd := command(t, args...)
		change(cmd)
		r := finish(t, cmd)
		assert.Equal(t, exitNothing, r.code, "%s: %s", name, r.stderr)
		results[name] = r
	}
	assert.NoFileExists(t, mark, "the program never ran")
	assert.NoDirExists(t, out, "no plan that could only fail")
	assert.Contains(t, results["doctor"].stdout, "Nothing can be watched here.")
	var e examination
	require.NoError(t, json.Unmarshal([]byte(results["doctor --json"].stdout), &e))
	assert.False(t, e.Works)
	return results
}

func TestWithoutPrivilege(t *testing.T) {
	needRoot(t) // to become somebody else
	const nobody = 65534
	for name, r := range crippled(t, func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}) {
		assert.Contains(t, r.stdout+r.stderr, "CAP_BPF and CAP_PERFMON", name)
	}
}

func TestWithoutBTF(t *testing.T) {
	needRoot(t)
	for name, r := range crippled(t, func(cmd *exec.Cmd) {
		cmd.Env = append(cmd.Env, withoutBTF+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	}) {
		assert.Contains(t, r.stdout+r.stderr, "no BTF", name)
	}
	_, err := os.Stat("/sys/kernel/btf/vmlinux")
	assert.NoError(t, err, "for others it is there")
}
