// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// runAs are what the test binary does when its first argument says so, in the place
// of tests: it is then another process, with other privileges.
var runAs = map[string]func() int{
	"observe":       observeAndSay,
	"observe-lock":  lockAndSay,
	"probe":         func() int { return say(bpf.HaveRingBuffer()) },
	"observe-long":  observeUntilKilled,
	"new-namespace": observeFromNamespace,
}

// say prints an error as the test that started this process looks for it.
func say(err error) int {
	switch {
	case err == nil:
		fmt.Println("fine")
	case errors.Is(err, os.ErrPermission):
		fmt.Println("permission:", err)
	case errors.Is(err, bpf.ErrNotSupported):
		fmt.Println("not supported:", err)
	default:
		fmt.Println("error:", err)
	}
	return 0
}

func observeAndSay() int {
	pid, _ := strconv.Atoi(os.Args[2])
	o, err := Observe(pid, Options{})
	if err == nil {
		_, err = o.Cut(contention.Window{Begin: 0, End: Now()})
		err = errors.Join(err, o.Close())
	}
	return say(err)
}

func lockAndSay() int {
	c, err := NewLockCollector()
	if err == nil {
		_, err = c.Poll(0)
		err = errors.Join(err, c.Close())
	}
	return say(err)
}

// observeUntilKilled watches and prints the ids of what it loaded.
func observeUntilKilled() int {
	pid, _ := strconv.Atoi(os.Args[2])
	o, err := Observe(pid, Options{})
	if err != nil {
		return say(err)
	}
	for _, p := range o.attachment.objects.Programs {
		info, err := p.Info()
		if err != nil {
			return say(err)
		}
		id, _ := info.ID()
		fmt.Print(id, " ")
	}
	fmt.Println()
	_, _ = io.ReadAll(os.Stdin) // which is never closed
	return 0
}

// rerun has a copy of the test binary, which any user can run, do one of runAs.
func rerun(t *testing.T, attr *syscall.SysProcAttr, args ...string) *exec.Cmd {
	t.Helper()
	binary := copyOfSelf(t)
	cmd := exec.Command(binary, args...)
	cmd.SysProcAttr = attr
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	return cmd
}

func copyOfSelf(t *testing.T) string {
	t.Helper()
	name := compile(t, "target") + "-self"
	if _, err := os.Stat(name); err == nil {
		return name
	}
	self, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, self, 0o755))
	return name
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

const nobody = 65534

func TestWithoutPrivilege(t *testing.T) {
	needBPF(t) // to become somebody else
	p := startTarget(t, "sleep", "1000000")
	unprivileged := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	for _, args := range [][]string{{"observe", strconv.Itoa(p.pid)}, {"observe-lock"}, {"probe"}} {
		said := output(t, rerun(t, unprivileged, args...))
		assert.Regexp(t, "^permission: ", said)
		assert.Contains(t, said, "CAP_BPF and CAP_PERFMON, or root, are needed")
	}
}

// What the package says it takes is enough.
func TestWithTheNamedPrivileges(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "1000000")
	capabilities := []uintptr{unix.CAP_BPF, unix.CAP_PERFMON}
	if !since(t, 5, 11) {
		capabilities = append(capabilities, unix.CAP_SYS_RESOURCE) // maps count as locked memory
	}
	for _, args := range [][]string{{"observe", strconv.Itoa(p.pid)}, {"observe-lock"}} {
		capable := &syscall.SysProcAttr{
			Credential:  &syscall.Credential{Uid: nobody, Gid: nobody},
			AmbientCaps: capabilities,
		}
		assert.Equal(t, "fine\n", output(t, rerun(t, capable, args...)))
	}
}

// A private mount namespace in which the kernel's types are hidden.
func TestWithoutBTF(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "1000000")
	for _, args := range [][]string{{"observe", strconv.Itoa(p.pid)}, {"observe-lock"}} {
		cmd := rerun(t, nil)
		cmd.Args = append([]string{"unshare", "--mount", "sh", "-c", `mount -t tmpfs none /sys/kernel/btf && exec "$@"`, "sh", cmd.Path}, args...)
		unshare, err := exec.LookPath("unshare")
		require.NoError(t, err)
		cmd.Path = unshare
		said := output(t, cmd)
		assert.Regexp(t, "^not supported: .*BTF", said)
	}
}

// observeFromNamespace is the first process of a new pid namespace: it watches a
// child of its own and tells what tids it sees.
func observeFromNamespace() int {
	if err := errors.Join(
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("proc", "/proc", "proc", 0, ""),
	); err != nil {
		return say(err)
	}
	cmd := exec.Command(os.Args[2], "mutex")
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		return say(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	o, err := Observe(cmd.Process.Pid, Options{})
	if err != nil {
		return say(err)
	}
	defer o.Close()
	for begin := Now(); Now() < begin+deadline; {
		trace, err := o.Cut(contention.Window{Begin: begin, End: Now()})
		if err != nil {
			return say(err)
		}
		for _, w := range trace.Waits {
			if w.Resource.Kind == contention.Mutex && w.Owner != 0 && !w.Open() && w.Thread.TID != w.Resource.PID {
				fmt.Printf("pid=%d waiter=%d waker=%d owner=%d\n", w.Resource.PID, w.Thread.TID, w.Waker.Thread.TID, w.Owner)
				return 0
			}
		}
	}
	return say(errors.New("no wait for a mutex"))
}

func TestObserveWithinANamespace(t *testing.T) {
	needBPF(t)
	cmd := rerun(t, &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}, "new-namespace", compile(t, "target"))
	p := startCommand(t, cmd)
	saw := p.read(t)
	assert.NotZero(t, saw["pid"])
	assert.Less(t, saw["pid"], uint64(100), "a tid of the namespace")
	assert.Equal(t, p.said["waiter"], saw["waiter"])
	assert.Equal(t, p.said["holder"], saw["waker"])
	assert.Equal(t, p.said["holder"], saw["owner"])
}

// Seen from outside, the tids that a process writes into its memory are those of
// others: none is to be believed.
func TestObserveANamespaceFromOutside(t *testing.T) {
	needBPF(t)
	cmd := exec.Command(compile(t, "target"), "mutex")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}
	p := startCommand(t, cmd)
	w := observe(t, p.pid, Options{})
	// Now and then the holder has to wait for the waiter, too.
	waiters := func(wait contention.Wait) bool {
		return wait.Resource.Kind == contention.Mutex && wait.Thread.TID != p.pid
	}
	for _, wait := range w.waits(5, waiters) {
		assert.Zero(t, wait.Owner)
		assert.Equal(t, p.pid, wait.Waker.Thread.TID, "in the numbers of this namespace")
	}
}
