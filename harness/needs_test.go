// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/scenarios"
)

func TestNeeds(t *testing.T) {
	for name, test := range map[string]struct {
		needs   scenarios.Needs
		release string
		cpus    int
		want    string
	}{
		"older":              {scenarios.Needs{Kernel: "5.8"}, "5.4.0-150-generic", 2, "needs kernel 5.8, has 5.4.0-150-generic"},
		"same series":        {scenarios.Needs{Kernel: "5.8"}, "5.8.0-1-amd64", 2, ""},
		"newer by number":    {scenarios.Needs{Kernel: "5.8"}, "5.10.0-32-cloud-amd64", 2, ""},
		"candidate":          {scenarios.Needs{Kernel: "6.9"}, "6.9-rc3", 2, ""},
		"candidate before":   {scenarios.Needs{Kernel: "6.9"}, "6.8-rc7", 2, "needs kernel 6.9, has 6.8-rc7"},
		"unreadable release": {scenarios.Needs{Kernel: "5.8"}, "custom", 2, ""},
		"no need stated":     {scenarios.Needs{}, "4.4.0", 1, ""},
		"too few CPUs":       {scenarios.Needs{Kernel: "5.8", CPUs: 4}, "6.18.0", 2, "needs 4 CPUs, has 2"},
		"just enough CPUs":   {scenarios.Needs{CPUs: 2}, "6.18.0", 2, ""},
		"no quotas":          {scenarios.Needs{CPUQuota: true}, "6.18.0", 2, "needs control groups that limit CPU time, has none"},
	} {
		r := machine{test.release, test.cpus, false}.supports(test.needs)
		assert.Equal(t, test.want, r.reason, name)
		assert.Equal(t, test.want == "", r.valid(), name)
	}
	assert.True(t, machine{"6.18.0", 2, true}.supports(scenarios.Needs{CPUQuota: true}).valid())
}

func TestHasQuota(t *testing.T) {
	for name, test := range map[string]struct {
		file, content string
		want          bool
	}{
		"none":                {"cgroup.procs", "", false},
		"version 1":           {"cpu/cpu.cfs_quota_us", "-1\n", true},
		"version 1, no quota": {"cpu/cpu.shares", "1024\n", false},
		"version 2":           {"cgroup.subtree_control", "cpuset cpu memory\n", true},
		"version 2, no CPU":   {"cgroup.subtree_control", "cpuset memory\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, test.file)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(test.content), 0o644))
			assert.Equal(t, test.want, hasQuota(root, path))
			assert.False(t, hasQuota(root, filepath.Join(root, "absent")), "of a kernel that limits nothing")
		})
	}
}
