// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

const testRunID = "20261130T131500Z-6.18.44-1f3a"

// onePlan plans one fault scenario and one control.
func onePlan(t testing.TB, count int, analyzers ...string) Plan {
	t.Helper()
	if len(analyzers) == 0 {
		analyzers = []string{"rca"}
	}
	plan, err := NewPlan(PlanOptions{
		RunID: testRunID,
		Questions: []Question{
			{"mutex-hold", []contention.Variant{contention.FaultVariant, contention.TwinVariant},
				[]contention.Dose{{Hold: 50 * time.Millisecond, Contenders: 4}}},
			{"control-quiet", []contention.Variant{contention.ControlVariant}, []contention.Dose{{}}},
		},
		Count: count, Seed: 1, Analyzers: analyzers,
	})
	require.NoError(t, err)
	return plan
}

func aRecord(plan Plan, index int, v Verdict) Record {
	return Record{
		Schema: RecordSchema, RunID: plan.RunID, Run: plan.Runs[index],
		Analyzer: plan.Analyzers[0], Verdict: v,
	}
}

func create(t testing.TB, plan Plan) *Store {
	t.Helper()
	store, err := Create(filepath.Join(t.TempDir(), "run"), plan, Env{KernelRelease: "6.18.44"}, StoreOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store
}

func TestStoreReadsBack(t *testing.T) {
	plan := onePlan(t, 2)
	store := create(t, plan)
	want := aRecord(plan, 0, Hit)
	want.Findings = []contention.Finding{{Rank: 1, Class: contention.LockHolder, Blame: 7}}
	want.Truth.WaitTime = time.Second
	want.DetectedAfter = time.Millisecond
	for i := range plan.Runs {
		r := aRecord(plan, i, CorrectReject)
		if i == 0 {
			r = want
		}
		require.NoError(t, store.Append(r))
	}
	require.NoError(t, store.Close())
	require.NoError(t, store.Close(), "twice")
	assert.ErrorIs(t, store.Append(want), os.ErrClosed)

	folder, err := Open(store.Dir())
	require.NoError(t, err)
	assert.Empty(t, folder.Warnings)
	assert.False(t, folder.Incomplete)
	assert.Equal(t, plan, folder.Plan)
	assert.Equal(t, Env{Schema: EnvSchema, KernelRelease: "6.18.44"}, folder.Env)
	require.Len(t, folder.Records, len(plan.Runs))
	got := folder.Records[0]
	assert.Equal(t, want.Findings, got.Findings)
	assert.Equal(t, want.Truth.WaitTime, got.Truth.WaitTime)
	assert.Equal(t, want.DetectedAfter, got.DetectedAfter)
	assert.Equal(t, want.Run, got.Run)
}

func TestRecordOnDiskHasTheAgreedForm(t *testing.T) {
	plan := onePlan(t, 1)
	store := create(t, plan)
	r := aRecord(plan, 0, Hit)
	r.Schema, r.RunID = "", ""
	r.Findings = make([]contention.Finding, 30)
	require.NoError(t, store.Append(r))

	data, err := os.ReadFile(filepath.Join(store.Dir(), RecordsFile))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(data), "\n"))
	var line map[string]any
	require.NoError(t, json.Unmarshal(data, &line))
	assert.Equal(t, "ebpf-rca/run/1", line["schema"])
	assert.Equal(t, testRunID, line["run_id"])
	assert.Equal(t, "mutex-hold", line["scenario"])
	assert.Equal(t, map[string]any{"hold_ns": 5e7, "contenders": 4.0}, line["dose"])
	assert.Len(t, line["findings"], MaxFindings)
	assert.Equal(t, []any{}, line["truth"].(map[string]any)["culprits"], "a list is never null")
}

func TestInterruptedRunStillReads(t *testing.T) {
	plan := onePlan(t, 2, "rca", "last-waker")
	store := create(t, plan)
	require.NoError(t, store.Append(aRecord(plan, 0, Hit)))

	folder, err := Open(store.Dir())
	require.NoError(t, err)
	assert.True(t, folder.Incomplete)
	require.Len(t, folder.Records, 2*len(plan.Runs))
	for i, r := range folder.Records {
		want := Lost
		if i == 0 {
			want = Hit
		}
		assert.Equal(t, want, r.Verdict)
		assert.Equal(t, plan.Runs[i/2], r.Run)
		assert.Equal(t, plan.Analyzers[i%2], r.Analyzer)
	}
}

func TestResumeCutsTheTornLine(t *testing.T) {
	plan := onePlan(t, 1)
	store := create(t, plan)
	require.NoError(t, store.Append(aRecord(plan, 0, Hit)))
	require.NoError(t, store.Append(aRecord(plan, 1, CorrectReject)))
	require.NoError(t, store.Close())
	path := filepath.Join(store.Dir(), RecordsFile)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole[:len(whole)-1], 0o644))

	again, folder, err := Resume(store.Dir(), StoreOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"line 2 is torn: its record is lost"}, folder.Warnings)
	assert.Equal(t, Lost, folder.Records[1].Verdict, "complete JSON, but its line never ended")
	for i := 1; i < len(plan.Runs); i++ {
		require.NoError(t, again.Append(aRecord(plan, i, CorrectReject)))
	}
	require.NoError(t, again.Close())

	folder, err = Open(store.Dir())
	require.NoError(t, err)
	assert.Empty(t, folder.Warnings)
	assert.False(t, folder.Incomplete)
}

func TestCreateRefusesAFolderInUse(t *testing.T) {
	plan := onePlan(t, 1)
	store := create(t, plan)
	require.NoError(t, store.Append(aRecord(plan, 0, Hit)))
	_, err := Create(store.Dir(), plan, Env{}, StoreOptions{})
	assert.ErrorIs(t, err, ErrExists)
	folder, err := Open(store.Dir())
	require.NoError(t, err)
	assert.Equal(t, Hit, folder.Records[0].Verdict, "what was there is untouched")
}

func TestCreateRefusesAPlanWithoutSchema(t *testing.T) {
	_, err := Create(t.TempDir(), Plan{}, Env{}, StoreOptions{})
	assert.ErrorContains(t, err, "schema")
}

func TestAppendRefusesWhatJSONCannotHold(t *testing.T) {
	plan := onePlan(t, 1)
	store := create(t, plan)
	r := aRecord(plan, 0, Hit)
	r.Blame.Error = math.NaN()
	assert.ErrorContains(t, store.Append(r), "record of run 0, rca")
	require.NoError(t, store.Append(aRecord(plan, 0, Hit)))
}

// smallDisk returns a folder on a file system that is soon full.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a small tmpfs: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

func TestFullDiskWhileAppending(t *testing.T) {
	dir := filepath.Join(smallDisk(t, "128k"), "run")
	plan := onePlan(t, 200)
	store, err := Create(dir, plan, Env{}, StoreOptions{})
	require.NoError(t, err)
	defer store.Close()

	big := func(i int) Record {
		r := aRecord(plan, i, Hit)
		r.Reason = strings.Repeat("x", 3000)
		return r
	}
	stored := 0
	for ; stored < len(plan.Runs); stored++ {
		if err = store.Append(big(stored)); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	assert.ErrorContains(t, err, "store record of run")
	require.NotZero(t, stored)

	folder, err := Open(dir)
	require.NoError(t, err)
	assert.Empty(t, folder.Warnings, "the part written was cut off")
	assert.True(t, folder.Incomplete)
	whole := 0
	for _, r := range folder.Records {
		if r.Verdict == Hit {
			whole++
			assert.Len(t, r.Reason, 3000)
		}
	}
	assert.Equal(t, stored, whole)

	assert.ErrorIs(t, store.PutFile("summary.md", make([]byte, 256<<10)), syscall.ENOSPC)
	assert.NoFileExists(t, filepath.Join(dir, "summary.md"))
}

func TestFullDiskWhileCreating(t *testing.T) {
	dir := filepath.Join(smallDisk(t, "16k"), "run")
	_, err := Create(dir, onePlan(t, 500), Env{}, StoreOptions{})
	require.ErrorIs(t, err, syscall.ENOSPC)
	assert.NoDirExists(t, dir)
}

func TestStoreThatCannotTakeBackStops(t *testing.T) {
	plan := onePlan(t, 1)
	store := create(t, plan)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	require.NoError(t, store.file.Close())
	store.file = full
	assert.ErrorIs(t, store.Append(aRecord(plan, 0, Hit)), syscall.ENOSPC)
	assert.ErrorContains(t, store.Append(aRecord(plan, 0, Hit)), "could not be taken back")
}
