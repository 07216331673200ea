// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
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

// forgetThread takes away what the kernel keeps of a thread, as a lack of memory would.
func forgetThread(t testing.TB, a *attachment, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	require.NoError(t, a.objects.Maps["threads"].Delete(int32(fd)))
}
