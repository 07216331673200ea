// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// quotaFiles are those of a control group that limit its CPU time to 10 ms in 100 ms.
var quotaFiles = []struct{ root, file, content string }{
	{"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "10000"}, // with a period of 100 ms
	{"/sys/fs/cgroup", "cpu.max", "10000 100000"},
}

// limitCPU puts a process under a quota until the test ends. The test is skipped where
// this machine has no control groups for it.
func limitCPU(t *testing.T, p *target) {
	t.Helper()
	for _, q := range quotaFiles {
		group := filepath.Join(q.root, "ebpf-rca-test-"+strconv.Itoa(p.pid))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			p.end()
			assert.Eventually(t, func() bool { return os.Remove(group) == nil }, 10*time.Second, 10*time.Millisecond)
		})
		if os.WriteFile(filepath.Join(group, q.file), []byte(q.content), 0o644) != nil {
			continue
		}
		require.NoError(t, os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(p.pid)), 0o644))
		return
	}
	t.Skip("no control group here takes a CPU quota")
}

func TestObserveThrottling(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "hogs")
	limitCPU(t, p)
	w := observe(t, p.pid, Options{})
	throttled := func(q contention.Preemption) bool { return q.Throttled && q.Ran-q.Begin > 20*time.Millisecond }
	poll(t, "threads that are throttled", func() bool {
		w.look()
		n := 0
		for _, q := range w.seen.Preemptions {
			if throttled(q) {
				n++
			}
		}
		return n >= 5
	})
	for _, q := range w.seen.Preemptions {
		if q.Throttled {
			assert.Zero(t, q.Occupant, "nobody kept it from its CPU")
		}
	}
}

// Where there is no quota nobody is throttled.
func TestObserveNoThrottling(t *testing.T) {
	needBPF(t)
	w := observe(t, startTarget(t, "hogs").pid, Options{})
	poll(t, "preemption", func() bool { w.look(); return len(w.seen.Preemptions) > 20 })
	for _, q := range w.seen.Preemptions {
		assert.False(t, q.Throttled)
	}
}
