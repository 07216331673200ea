// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

func TestReport(t *testing.T) {
	dir := folder(t, 2, func(r results.Run) results.Verdict {
		if r.Index == 0 && r.Variant == contention.FaultVariant {
			return results.Miss
		}
		return right(r)
	})
	r := do(t, "report", dir)
	assert.Equal(t, exitGood, r.code, r.stderr)
	assert.Equal(t, filepath.Join(dir, "report.html")+"\n", r.stdout)
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "1 run to look at")
	assert.Contains(t, string(page), "The run left no ledger.")

	r = do(t, "report", dir, dir, "-o", "-")
	assert.Equal(t, exitGood, r.code, r.stderr)
	assert.Contains(t, r.stdout, "Kernels side by side")

	out := filepath.Join(t.TempDir(), "page.html")
	r = do(t, "report", "--timelines", "none", "-o", out, dir)
	assert.Equal(t, exitGood, r.code, r.stderr)
	page, err = os.ReadFile(out)
	require.NoError(t, err)
	assert.NotContains(t, string(page), "The run left no ledger.")
}

// The verdict shown is that of the findings and the truth, whatever the record claims.
func TestReportGradesAgain(t *testing.T) {
	dir := folder(t, 1, right)
	path := filepath.Join(dir, results.RecordsFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(replaceOnce(t, string(text), `"verdict":"hit"`, `"verdict":"miss"`)), 0o644))
	r := do(t, "report", dir, "-o", "-")
	assert.Equal(t, exitGood, r.code, r.stderr)
	assert.Contains(t, r.stdout, "recorded as miss, graded as hit")
	assert.Contains(t, r.stdout, "No miss and no false alarm.")
}

func TestReportOfWhatCannotBeRead(t *testing.T) {
	good := folder(t, 1, right)
	r := do(t, "report", filepath.Join(t.TempDir(), "absent"), good)
	assert.Equal(t, exitInfra, r.code)
	assert.Contains(t, r.stderr, "not a result folder")
	assert.Equal(t, filepath.Join(good, "report.html")+"\n", r.stdout, "the rest is rendered")

	absent := filepath.Join(t.TempDir(), "absent")
	r = do(t, "report", absent)
	assert.Equal(t, exitUsage, r.code)
	assert.Empty(t, r.stdout)
	assert.NoDirExists(t, absent)

	for _, args := range [][]string{{"report"}, {"report", "--timelines", "some", good}} {
		assert.Equal(t, exitUsage, do(t, args...).code, args)
	}
	assert.Equal(t, exitInfra, do(t, "report", good, "-o", filepath.Join(good, "plan.json", "x.html")).code)
}

func TestExportsHoldThePage(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	f, err := openGraded(folder(t, 1, right))
	require.NoError(t, err)
	require.NoError(t, writeExports(f))
	exported, err := os.ReadFile(filepath.Join(f.Dir, reportFile))
	require.NoError(t, err)
	assert.Equal(t, do(t, "report", f.Dir, "-o", "-").stdout, string(exported))
}
