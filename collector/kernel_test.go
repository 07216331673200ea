// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/features"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

func procFile(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }

func threadsOf(t testing.TB, pid int) []uint64 {
	t.Helper()
	entries, err := os.ReadDir(procFile(pid, "task"))
	require.NoError(t, err)
	var tids []uint64
	for _, e := range entries {
		tid, err := strconv.ParseUint(e.Name(), 10, 32)
		require.NoError(t, err)
		tids = append(tids, tid)
	}
	return tids
}

// since reports whether this kernel is of a version or later.
func since(t testing.TB, major, minor uint32) bool {
	t.Helper()
	version, err := features.LinuxVersionCode()
	require.NoError(t, err)
	return version>>8 >= major<<8|minor
}

// switchProgram is the name of the program that is attached to sched_switch.
func switchProgram(t testing.TB) string {
	t.Helper()
	if since(t, 5, 18) {
		return "sched_switch"
	}
	return "sched_switch_three"
}

// needKernelLocks skips a test on a kernel that does not tell of waits for its own locks.
func needKernelLocks(t testing.TB) {
	t.Helper()
	needBPF(t)
	if !since(t, 5, 19) {
		require.ErrorIs(t, bpf.HaveContention(), bpf.ErrNotSupported)
		t.Skip("this kernel does not tell of waits for its own locks")
	}
}

// kernelKind is what a lock of the kernel is: with PREEMPT_RT all are of one kind.
func kernelKind(kind contention.Kind) contention.Kind {
	if _, err := os.Stat("/sys/kernel/realtime"); err == nil {
		return contention.KernelRT
	}
	return kind
}

// forgetThread takes away what the kernel keeps of a thread, as a lack of memory would.
func forgetThread(t testing.TB, a *attachment, pid int) {
	t.Helper()
	threads := a.objects.Maps["threads"]
	if threads.Type() == ebpf.Hash { // by the address of the task, which is not known here
		forgetAll(t, threads)
		return
	}
	fd, err := unix.PidfdOpen(pid, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	require.NoError(t, threads.Delete(int32(fd)))
}

func forgetAll(t testing.TB, threads *ebpf.Map) {
	t.Helper()
	for {
		task, err := threads.NextKeyBytes(nil)
		require.NoError(t, err)
		if task == nil {
			return
		}
		require.NoError(t, threads.Delete(task))
	}
}
