// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/results"
)

// bootedSeries are the oldest kernels that are supported and the newest there are.
var bootedSeries = []string{"5.10", "7.3"}

// bootedScenarios are of locks and futexes that threads hold asleep: an emulated guest has
// its CPUs take turns, so that what a culprit computes on one keeps others from the other.
var bootedScenarios = []string{
	"mutex-hold", "mutex-convoy", "mutex-two-culprits", "rwlock-slow-writer", "futex-raw", "futex-shared",
	"deadlock-two", "chain-mutex-mutex", "file-flock-hold", "control-idle-pool",
}

// needKernels skips a test where those kernels cannot be booted, unless that was promised.
func needKernels(t *testing.T) {
	t.Helper()
	_, err := matrix.FindQEMU(t.Context())
	for _, series := range bootedSeries {
		if err == nil {
			dir, _ := matrixOptions{}.cacheDir()
			_, err = matrix.Cache{Dir: dir}.Newest(matrix.Spec{Series: series, Flavor: "cloud"})
		}
	}
	if err == nil {
		return
	}
	if os.Getenv("REQUIRE_QEMU") == "1" {
		t.Fatalf("the kernels cannot be booted: %v", err)
	}
	t.Skipf("the kernels cannot be booted: %v", err)
}

// The oldest kernel and the newest are watched, every run comes home, and no answer is
// wrong. A run for which the machine was too busy has none.
func TestMatrixOnTheOldestAndTheNewest(t *testing.T) {
	needKernels(t)
	out := filepath.Join(t.TempDir(), "kernels")
	r := do(t, "matrix", "--kernel", strings.Join(bootedSeries, ","), "--out", out, "--retries", "1",
		"--run", "^("+strings.Join(bootedScenarios, "|")+")$", "--workloads", stage(t, bootedScenarios...))
	list, err := results.ReadMatrix(out)
	require.NoError(t, err, r.stderr)
	require.Len(t, list.Kernels, len(bootedSeries))
	for _, kernel := range list.Kernels {
		assert.Empty(t, kernel.Deaths)
		folder, err := results.Open(filepath.Join(out, kernel.Folder))
		require.NoError(t, err)
		assert.Equal(t, kernel.Release, folder.Env.KernelRelease)
		assert.Equal(t, "tsc", folder.Env.ClockSource)
		assert.NotNil(t, folder.Env.Speed)
		hits := 0
		for _, record := range folder.Records {
			if record.Verdict == results.Hit {
				hits++
			}
			assert.Contains(t, []results.Verdict{results.Hit, results.CorrectReject, results.Untrusted, results.Invalid}, record.Verdict,
				"%s: %s, %s: %s", kernel.Release, record.Scenario, record.Variant, record.Reason)
		}
		assert.GreaterOrEqual(t, hits, len(bootedScenarios)/2, "most of the faults on %s", kernel.Release)
	}
}
