// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// machine is what the needs of a scenario are held against.
type machine struct {
	kernel string // the release
	cpus   int
	quota  bool // control groups that limit CPU time can be made
}

// supports checks the needs of a scenario. A kernel of the stated series or newer is
// never refused for its version; neither is one whose release cannot be read.
func (m machine) supports(n scenarios.Needs) ruling {
	switch {
	case n.CPUs > m.cpus:
		return rule(results.Unsupported, "needs %d CPUs, has %d", n.CPUs, m.cpus)
	case n.CPUQuota && !m.quota:
		return rule(results.Unsupported, "needs control groups that limit CPU time, has none")
	}
	least, err := results.ParseKernel(n.Kernel)
	if err != nil {
		return ruling{}
	}
	kernel, err := results.ParseKernel(m.kernel)
	if err != nil || inSeries(kernel, least) {
		return ruling{}
	}
	return rule(results.Unsupported, "needs kernel %s, has %s", n.Kernel, m.kernel)
}

// inSeries reports whether a kernel is of a series or newer; candidates of the
// series are of it.
func inSeries(kernel, least results.Kernel) bool {
	kernel.RC = 0
	return kernel.AtLeast(least)
}

// Where control groups and what the kernel can do about CPU time are to be found.
const (
	cgroupRoot   = "/sys/fs/cgroup"
	quotaSetting = "/proc/sys/kernel/sched_cfs_bandwidth_slice_us" // with CONFIG_CFS_BANDWIDTH
)

// hasQuota reports whether below root control groups can be made that limit CPU time: those
// of version 1, or of version 2 if they are given the CPU.
func hasQuota(root, setting string) bool {
	if _, err := os.Stat(setting); err != nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(root, "cpu", "cpu.cfs_quota_us")); err == nil {
		return true
	}
	given, err := os.ReadFile(filepath.Join(root, "cgroup.subtree_control"))
	return err == nil && slices.Contains(strings.Fields(string(given)), "cpu")
}
