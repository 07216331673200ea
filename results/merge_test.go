// SPDX-License-Identifier: Apache-2.0

package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// playPart makes the folder of a part of a plan in which every run was right, on a
// machine with so many CPUs.
func playPart(t testing.TB, plan Plan, shard Shard, cpus int) *Folder {
	t.Helper()
	part, err := plan.Cut(shard)
	require.NoError(t, err)
	part.RunID = fmt.Sprintf("20261130T13%02d00Z-6.18.44-1f3a", 60-shard.Number) // the last begins first
	load := []float64{float64(cpus), 0, 0}
	env := Env{KernelRelease: "6.18.44", CPUs: cpus, ClockSource: "tsc", Load: load}
	store, err := Create(filepath.Join(t.TempDir(), "part"), part, env, StoreOptions{})
	require.NoError(t, err)
	for i, run := range part.Runs {
		verdict := CorrectReject
		if isFault(Record{Run: run}) {
			verdict = Hit
		}
		r := aRecord(part, i, verdict)
		r.Truth.Ledger = fmt.Sprintf("ledgers/%d.json.zst", run.Index)
		require.NoError(t, store.Append(r))
		require.NoError(t, store.PutFile(r.Truth.Ledger, fmt.Appendf(nil, "ledger %d", run.Index)))
	}
	require.NoError(t, store.PutFile(fmt.Sprintf("captures/%d.cap", shard.Number), fmt.Append(nil, shard.Number)))
	require.NoError(t, store.PutFile("overhead.jsonl", fmt.Appendf(nil, "{%q:%d}\n", "shard", shard.Number)))
	require.NoError(t, store.Close())
	return open(t, store.Dir())
}

func open(t testing.TB, dir string) *Folder {
	t.Helper()
	folder, err := Open(dir)
	require.NoError(t, err)
	return folder
}

func playParts(t testing.TB, plan Plan, of int) []*Folder {
	t.Helper()
	var parts []*Folder
	for number := 1; number <= of; number++ {
		parts = append(parts, playPart(t, plan, Shard{Number: number, Of: of}, 4))
	}
	return parts
}

func merged(t testing.TB, parts ...*Folder) *Folder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "merged")
	require.NoError(t, Merge(dir, parts, StoreOptions{}))
	return open(t, dir)
}

func verdicts(f *Folder) map[Verdict]int {
	counts := map[Verdict]int{}
	for _, r := range f.Records {
		counts[r.Verdict]++
	}
	return counts
}

func TestMerge(t *testing.T) {
	plan := onePlan(t, 6)
	parts := playParts(t, plan, 3)
	assert.False(t, parts[0].Incomplete, "a part by itself is whole")
	all := merged(t, parts[2], parts[0], parts[1])

	assert.Empty(t, all.Warnings)
	assert.False(t, all.Incomplete)
	assert.Equal(t, plan.Runs, all.Plan.Runs)
	assert.Nil(t, all.Plan.Part)
	assert.Equal(t, "20261130T135700Z-6.18.44-1f3a", all.Plan.RunID, "the part that began first")
	assert.Equal(t, map[Verdict]int{Hit: 6, CorrectReject: 12}, verdicts(all))
	for _, r := range all.Records {
		ledger, err := ReadFile(all.Dir, r.Truth.Ledger)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("ledger %d", r.Index), string(ledger))
	}
	assert.Equal(t, "6.18.44", all.Env.KernelRelease)
	assert.Equal(t, 4, all.Env.CPUs)
	require.Len(t, all.Env.Shards, 3)
	assert.Equal(t, ShardEnv{Shard{2, 3}, parts[1].Plan.RunID, parts[1].Env}, all.Env.Shards[1])
	for number := 1; number <= 3; number++ {
		data, err := os.ReadFile(filepath.Join(all.Dir, fmt.Sprintf("captures/%d.cap", number)))
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint(number), string(data), "carried along as it is")
	}
	overhead, err := os.ReadFile(filepath.Join(all.Dir, "overhead.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, "{\"shard\":1}\n{\"shard\":2}\n{\"shard\":3}\n", string(overhead))

	again := merged(t, parts...)
	for _, name := range []string{PlanFile, EnvFile, RecordsFile} {
		want, err := os.ReadFile(filepath.Join(all.Dir, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(again.Dir, name))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s does not depend on the order", name)
	}
}

func TestMergeWithoutOne(t *testing.T) {
	plan := onePlan(t, 6)
	parts := playParts(t, plan, 3)
	all := merged(t, parts[0], parts[2])
	assert.True(t, all.Incomplete)
	assert.Equal(t, []string{"shard 2/3 was not there when the shards were merged"}, all.Warnings)
	lost := map[int]bool{}
	for _, r := range all.Records {
		if r.Verdict == Lost {
			lost[r.Index] = true
		}
	}
	want := map[int]bool{}
	for _, r := range parts[1].Plan.Runs {
		want[r.Index] = true
	}
	assert.Equal(t, want, lost)
	assert.Equal(t, ExitInfra, Score(all).Outcome().Code)
}

func TestMergeTellsOfDifferentMachines(t *testing.T) {
	plan := onePlan(t, 6)
	all := merged(t,
		playPart(t, plan, Shard{1, 3}, 4), playPart(t, plan, Shard{2, 3}, 2), playPart(t, plan, Shard{3, 3}, 4))
	assert.Equal(t, []string{"the shards differ in cpus: 4 (1, 3), 2 (2)"}, all.Warnings)
	assert.Zero(t, all.Env.CPUs, "there is no one answer")
	assert.Equal(t, "tsc", all.Env.ClockSource)
	assert.Equal(t, 2, all.Env.Shards[1].Env.CPUs)
}

// Copies of a folder count once, though one was made before the run had ended.
func TestMergeCountsCopiesOnce(t *testing.T) {
	plan := onePlan(t, 6)
	parts := playParts(t, plan, 2)
	early := t.TempDir()
	require.NoError(t, os.CopyFS(early, os.DirFS(parts[0].Dir)))
	data, err := os.ReadFile(filepath.Join(early, RecordsFile))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(early, RecordsFile), data[:len(data)/2], 0o644))
	require.True(t, open(t, early).Incomplete)

	for _, list := range [][]*Folder{
		{open(t, early), parts[0], parts[1]}, {parts[1], parts[0], parts[0], open(t, early)},
	} {
		all := merged(t, list...)
		assert.Empty(t, all.Warnings)
		assert.Equal(t, map[Verdict]int{Hit: 6, CorrectReject: 12}, verdicts(all))
	}
}

// A run played again leaves two records; neither is forgotten.
func TestMergeKeepsEarlierRecords(t *testing.T) {
	plan := onePlan(t, 2)
	parts := playParts(t, plan, 2)
	store, folder, err := Resume(parts[0].Dir, StoreOptions{})
	require.NoError(t, err)
	require.NoError(t, store.Append(aRecord(folder.Plan, 0, Miss)))
	require.NoError(t, store.Close())
	all := merged(t, open(t, parts[0].Dir), parts[1])
	assert.Equal(t, []string{"run 0, rca, is recorded more than once: the last counts, earlier it was hit"}, all.Warnings)
	assert.Equal(t, Miss, all.Records[0].Verdict)
}

func TestMergeRefuses(t *testing.T) {
	plan := onePlan(t, 6)
	parts := playParts(t, plan, 2)
	twice := playPart(t, plan, Shard{1, 2}, 4)
	rename(t, twice, "another")
	forked := t.TempDir()
	require.NoError(t, os.CopyFS(forked, os.DirFS(parts[0].Dir)))
	store, folder, err := Resume(forked, StoreOptions{})
	require.NoError(t, err)
	require.NoError(t, store.Append(aRecord(folder.Plan, 0, Miss)))
	require.NoError(t, store.Close())
	other, folder, err := Resume(parts[0].Dir, StoreOptions{})
	require.NoError(t, err)
	require.NoError(t, other.Append(aRecord(folder.Plan, 1, Miss)))
	require.NoError(t, other.Close())

	for name, test := range map[string]struct {
		folders []*Folder
		is      error
		says    string
	}{
		"another plan": {[]*Folder{parts[0], playPart(t, onePlan(t, 7), Shard{2, 2}, 4)}, ErrPlans, "18 runs, 2 scenarios, 6 seeds"},
		"another cut":  {[]*Folder{parts[0], playPart(t, plan, Shard{2, 3}, 4)}, ErrPlans, "shard 1/2 against 2/3"},
		"two runs":     {[]*Folder{parts[0], parts[1], open(t, twice.Dir)}, ErrTwice, "is run another; leave one out"},
		"two ways on":  {[]*Folder{open(t, parts[0].Dir), open(t, forked)}, ErrTwice, "went on differently"},
		"nothing":      {nil, nil, "no folders"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			err := Merge(dir, test.folders, StoreOptions{})
			require.ErrorContains(t, err, test.says)
			assert.True(t, test.is == nil || errors.Is(err, test.is))
			assert.NoDirExists(t, dir)
		})
	}
}

// rename gives the run of a folder another id.
func rename(t testing.TB, f *Folder, id string) {
	t.Helper()
	f.Plan.RunID = id
	require.NoError(t, os.Remove(filepath.Join(f.Dir, PlanFile)))
	require.NoError(t, os.Remove(filepath.Join(f.Dir, RecordsFile)))
	store, err := Create(f.Dir, f.Plan, f.Env, StoreOptions{})
	require.NoError(t, err)
	require.NoError(t, store.Close())
}

func TestMergeNeverOverwrites(t *testing.T) {
	parts := playParts(t, onePlan(t, 2), 2)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "precious"), []byte("x"), 0o644))
	assert.ErrorIs(t, Merge(dir, parts, StoreOptions{}), fs.ErrExist)
	assert.ErrorIs(t, Merge(parts[0].Dir, parts, StoreOptions{}), fs.ErrExist)
	assert.FileExists(t, filepath.Join(dir, "precious"))
	assert.FileExists(t, filepath.Join(parts[0].Dir, RecordsFile))
}

// What could not be merged whole is not left behind half.
func TestMergeTakesBackWhatFailed(t *testing.T) {
	parts := playParts(t, onePlan(t, 2), 2)
	require.NoError(t, os.Rename(filepath.Join(parts[1].Dir, "captures/2.cap"), filepath.Join(parts[1].Dir, "captures/1.cap")))
	dir := filepath.Join(t.TempDir(), "out")
	assert.ErrorContains(t, Merge(dir, parts, StoreOptions{}), "captures/1.cap is in another part too")
	assert.NoDirExists(t, dir)
}

func TestOpenDoubtsWhatShardsAFolderIsOf(t *testing.T) {
	all := merged(t, playParts(t, onePlan(t, 2), 2)...)
	data, err := os.ReadFile(filepath.Join(all.Dir, EnvFile))
	require.NoError(t, err)
	data = []byte(strings.Replace(string(data), `"of": 2`, `"of": 2000000000`, 1))
	require.NoError(t, os.WriteFile(filepath.Join(all.Dir, EnvFile), data, 0o644))
	folder := open(t, all.Dir)
	require.Len(t, folder.Warnings, 1)
	assert.Contains(t, folder.Warnings[0], "what the folder was merged from is not known")
}

// Whatever the three files of a folder hold, it is read or refused, and what is read can
// be merged or is refused, and then reads again.
func FuzzMerge(f *testing.F) {
	plan := onePlan(f, 2)
	for _, folder := range append(playParts(f, plan, 2), merged(f, playParts(f, plan, 2)...)) {
		files := map[string][]byte{}
		for _, name := range []string{PlanFile, EnvFile, RecordsFile} {
			data, err := os.ReadFile(filepath.Join(folder.Dir, name))
			require.NoError(f, err)
			files[name] = data
		}
		f.Add(files[PlanFile], files[EnvFile], files[RecordsFile])
	}
	other := playPart(f, plan, Shard{2, 2}, 4)
	f.Fuzz(func(t *testing.T, plan, env, records []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{PlanFile: plan, EnvFile: env, RecordsFile: records} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
		}
		folder, err := Open(dir)
		if err != nil {
			return
		}
		for _, list := range [][]*Folder{{folder}, {folder, other}} {
			out := filepath.Join(t.TempDir(), "out")
			if err := Merge(out, list, StoreOptions{}); err != nil {
				assert.NoDirExists(t, out)
				continue
			}
			all := open(t, out)
			assert.Equal(t, folder.Plan.ID(), all.Plan.ID())
			for i, r := range folder.Records {
				if r.Verdict != Lost && len(list) == 1 && folder.Plan.Part == nil {
					assert.Equal(t, r.Verdict, all.Records[i].Verdict)
				}
			}
		}
	})
}
