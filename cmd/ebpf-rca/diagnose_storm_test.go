// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/rca"
)

// In a storm of waits some are left out. That is told, the same is found as of all of them,
// and all of it again of what was kept.
func TestDiagnoseInAStorm(t *testing.T) {
	needRoot(t)
	pid, said := startTarget(t, "storm")
	var long, middle, short, keeper int
	_, err := fmt.Sscanf(said, "long=%d middle=%d short=%d keeper=%d", &long, &middle, &short, &keeper)
	require.NoError(t, err)
	some, all := filepath.Join(t.TempDir(), "some.cap.zst"), filepath.Join(t.TempDir(), "all.cap.zst")

	r := do(t, "diagnose", "--json", "--budget", "1000", "-p", itoa(pid), "-d", "4s", "--capture", some)
	require.Equal(t, exitGood, r.code, r.stderr)
	d := diagnoses(t, r.stdout)[0]
	require.NotNil(t, d.Shed)
	assert.Greater(t, d.Shed.Waits, uint64(3*d.Totals.Waits), "there are ten times as many as the budget allows")
	assert.Less(t, d.Shed.Told, d.Window/2)
	require.Len(t, d.Notes, 1)
	assert.Contains(t, d.Notes[0], fmt.Sprintf("%d waits of less than a millisecond", d.Shed.Waits))
	require.Len(t, d.Findings, 2)
	assert.Equal(t, long, d.Findings[0].Culprit.TID)
	assert.Equal(t, keeper, d.Findings[1].Culprit.TID)
	assert.Contains(t, functions(d.Findings[1].Stacks[0].Frames), "keep_for_long")
	assert.Equal(t, r, do(t, "replay", "--json", some))

	r = do(t, "diagnose", "--json", "--budget", "0", "-p", itoa(pid), "-d", "2s", "--capture", all)
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.Nil(t, diagnoses(t, r.stdout)[0].Shed)
	assert.Less(t, variation(sharesIn(t, some), sharesIn(t, all)), 0.1)
}

// sharesIn is how what was seen divides blame, by tid.
func sharesIn(t *testing.T, path string) map[int]float64 {
	t.Helper()
	seen, err := readCapture(path)
	require.NoError(t, err)
	a := rca.Analyze(&seen.Trace, rca.Options{})
	require.Positive(t, a.Totals.Blame)
	shares := make(map[int]float64)
	for _, c := range a.Charges {
		shares[c.Thread.TID] += float64(c.Blame) / float64(a.Totals.Blame)
	}
	return shares
}

// variation is the total variation between two ways to divide one, in 0..1.
func variation(a, b map[int]float64) float64 {
	sum := 0.0
	for tid := range a {
		sum += math.Abs(a[tid] - b[tid])
	}
	for tid := range b {
		if _, both := a[tid]; !both {
			sum += b[tid]
		}
	}
	return sum / 2
}
