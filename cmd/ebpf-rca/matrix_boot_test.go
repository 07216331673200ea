// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/results"
)

// bootedSeries are the oldest kernels that are supported and the newest there are.
var bootedSeries = []string{"5.10", "7.3"}

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
	r := do(t, "matrix", "--kernel", bootedSeries[0], "--kernel", bootedSeries[1], "--out", out, "--retries", "1",
		"--run", "^(mutex-hold|control-idle-pool)$", "--workloads", stage(t, "mutex-hold", "control-idle-pool"))
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
		for _, record := range folder.Records {
			assert.Contains(t, []results.Verdict{results.Hit, results.CorrectReject, results.Untrusted, results.Invalid}, record.Verdict,
				"%s: %s, %s: %s", kernel.Release, record.Scenario, record.Variant, record.Reason)
		}
	}
}
