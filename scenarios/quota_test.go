// SPDX-License-Identifier: Apache-2.0

package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/scenarios"
)

// A control group does not go with the processes that are in it.
func TestAKilledWorkloadLeavesNoControlGroup(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	s, ok := scenarios.Find("cpu-quota")
	require.True(t, ok)
	p := start(t, s, contention.FaultVariant, 1, patience)
	name := fmt.Sprintf("ebpf-rca-quota-%d", p.cmd.Process.Pid)
	groups := []string{filepath.Join("/sys/fs/cgroup/cpu", name), filepath.Join("/sys/fs/cgroup", name)}
	require.True(t, slices.ContainsFunc(groups, exists))
	p.letGo()
	require.NoError(t, p.cmd.Process.Kill())
	p.exit()
	assert.Eventually(t, func() bool { return !slices.ContainsFunc(groups, exists) }, patience, 10*time.Millisecond)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
