// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// lineOf renders a record as it stands on disk.
func lineOf(t testing.TB, r Record) string {
	t.Helper()
	line, err := encode(r, r.RunID)
	require.NoError(t, err)
	return string(line)
}

func writeRecords(t testing.TB, dir string, lines ...string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, RecordsFile), []byte(strings.Join(lines, "")), 0o644))
}

func TestOpenTakesTheLastOfTwo(t *testing.T) {
	plan := onePlan(t, 1)
	dir := create(t, plan).Dir()
	writeRecords(t, dir,
		lineOf(t, aRecord(plan, 0, Infra)),
		lineOf(t, aRecord(plan, 0, Hit)))
	folder, err := Open(dir)
	require.NoError(t, err)
	assert.Equal(t, Hit, folder.Records[0].Verdict)
	assert.Equal(t, []string{"run 0, rca, is recorded more than once: the last counts, earlier it was infra"}, folder.Warnings)
}

func TestOpenLeavesOutWhatIsNotPlanned(t *testing.T) {
	plan := onePlan(t, 1)
	dir := create(t, plan).Dir()
	otherRun, otherSeed, otherAnalyzer, beyond := aRecord(plan, 0, Hit), aRecord(plan, 0, Hit), aRecord(plan, 0, Hit), aRecord(plan, 0, Hit)
	otherRun.RunID = "another"
	otherSeed.Seed = 99
	otherAnalyzer.Analyzer = "guess"
	beyond.Index = 99
	writeRecords(t, dir, lineOf(t, otherRun), lineOf(t, otherSeed), lineOf(t, otherAnalyzer), lineOf(t, beyond))
	folder, err := Open(dir)
	require.NoError(t, err)
	assert.Equal(t, Lost, folder.Records[0].Verdict)
	require.Len(t, folder.Warnings, 4)
	for i, want := range []string{"of run another", "seed 99", "not planned", "not planned"} {
		assert.Contains(t, folder.Warnings[i], want)
	}
}

func TestOpenToleratesDamage(t *testing.T) {
	plan := onePlan(t, 1)
	dir := create(t, plan).Dir()
	good := lineOf(t, aRecord(plan, 1, CorrectReject))
	writeRecords(t, dir, "{\"schema\":\n", good, lineOf(t, aRecord(plan, 0, Hit))[:40])
	require.NoError(t, os.WriteFile(filepath.Join(dir, EnvFile), []byte("{"), 0o644))
	folder, err := Open(dir)
	require.NoError(t, err)
	require.Len(t, folder.Warnings, 3)
	assert.Contains(t, folder.Warnings[0], "environment unknown")
	assert.Contains(t, folder.Warnings[1], "line 1 is damaged")
	assert.Contains(t, folder.Warnings[2], "line 3 is torn")
	assert.Equal(t, Lost, folder.Records[0].Verdict)
	assert.Equal(t, CorrectReject, folder.Records[1].Verdict)
	assert.True(t, folder.Incomplete)
}

func TestOpenWithoutRecordsIsAllLost(t *testing.T) {
	dir := create(t, onePlan(t, 1)).Dir()
	require.NoError(t, os.Remove(filepath.Join(dir, RecordsFile)))
	folder, err := Open(dir)
	require.NoError(t, err)
	assert.True(t, folder.Incomplete)
	for _, r := range folder.Records {
		assert.Equal(t, Lost, r.Verdict)
	}
}

func TestOpenRefuses(t *testing.T) {
	_, err := Open(t.TempDir())
	assert.ErrorContains(t, err, "not a result folder")

	plan := onePlan(t, 1)
	for name, content := range map[string]string{
		PlanFile:    `{"schema":"ebpf-rca/plan/2","runs":7}`,
		EnvFile:     `{"schema":"ebpf-rca/env/2","cpus":"many"}`,
		RecordsFile: `{"schema":"ebpf-rca/run/2","index":"x"}` + "\n",
	} {
		dir := create(t, plan).Dir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
		_, err := Open(dir)
		require.ErrorIs(t, err, ErrSchema, name)
		assert.ErrorContains(t, err, "/2", name)
	}
}

func TestReadPlanRefuses(t *testing.T) {
	for want, text := range map[string]string{
		"unexpected end": "",
		"planned twice":  `{"schema":"ebpf-rca/plan/1","runs":[{"index":1},{"index":1}]}`,
		"named twice":    `{"schema":"ebpf-rca/plan/1","analyzers":["a","a"]}`,
		"cannot unmarsh": `{"schema":"ebpf-rca/plan/1","runs":1}`,
	} {
		_, err := ReadPlan(strings.NewReader(text))
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "read plan")
	}
}

func TestFolderRegrade(t *testing.T) {
	plan := onePlan(t, 1)
	store := create(t, plan)
	wrong := aRecord(plan, 0, Miss)
	wrong.Truth.Culprits = []Culprit{{TID: 5}}
	wrong.Findings = []contention.Finding{{Class: contention.LockHolder, Culprit: &contention.Thread{TID: 5}}}
	require.Equal(t, contention.FaultVariant, wrong.Variant)
	require.NoError(t, store.Append(wrong))
	folder, err := Open(store.Dir())
	require.NoError(t, err)
	folder.Regrade(func(string) bool { return false })
	assert.Equal(t, Hit, folder.Records[0].Verdict)
	assert.Equal(t, 1, folder.Records[0].Ranks.Thread)
	assert.Equal(t, Lost, folder.Records[1].Verdict)
	assert.Equal(t, []string{
		"run 0, mutex-hold fault, seed 1, rca: recorded as miss, graded as hit",
		"run 0, mutex-hold fault, seed 1, rca: recorded with rank 0 by process, 0 by thread, its findings give 1 by process, 1 by thread",
	}, folder.Doubts)
}

// Whatever is on disk, a reader neither fails to end nor invents a record: each one
// that it returns stands on a whole line of its own.
func FuzzReadRecords(f *testing.F) {
	plan := onePlan(f, 1)
	good := lineOf(f, aRecord(plan, 0, Hit))
	f.Add([]byte(good + good))
	f.Add([]byte(good + good[:len(good)/2]))
	f.Add([]byte(good[:len(good)-1]))
	f.Add([]byte("\n\n{}\n"))
	f.Add([]byte(`{"schema":"ebpf-rca/run/2"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := ReadRecords(bytes.NewReader(data))
		if err != nil {
			assert.ErrorIs(t, err, ErrSchema)
			return
		}
		assert.Equal(t, int64(bytes.LastIndexByte(data, '\n')+1), read.Whole)
		assert.LessOrEqual(t, len(read.Records), bytes.Count(data, []byte("\n")))
		for _, r := range read.Records {
			assert.Equal(t, RecordSchema, r.Schema)
		}
		folder := Folder{Plan: plan}
		folder.match(read.Records)
		assert.Len(t, folder.Records, len(plan.Runs))
		for i := range folder.Records {
			Regrade(folder.Records[i], i%2 == 0)
		}
	})
}

func FuzzReadPlan(f *testing.F) {
	data, err := json.Marshal(onePlan(f, 1))
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`{"schema":"ebpf-rca/plan/1","runs":[{"index":-1}]}`))
	part, err := json.Marshal(cut(f, onePlan(f, 2), 1, 2))
	require.NoError(f, err)
	f.Add(part)
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := ReadPlan(bytes.NewReader(data))
		if err != nil {
			return
		}
		folder := Folder{Plan: plan}
		folder.match(nil)
		assert.Len(t, folder.Records, len(plan.Runs)*len(plan.Analyzers))
		assert.Equal(t, plan.ID(), plan.Whole().ID())
	})
}
