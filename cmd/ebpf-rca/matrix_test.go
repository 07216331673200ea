// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/results"
)

// aMatrix makes the folder of a matrix of two kernels, of which the second lost its runs.
func aMatrix(t *testing.T) string {
	t.Helper()
	o := matrixOptions{cpus: 4, memory: 512, append: "nosmt", runOptions: runOptions{run: "^mutex-hold$", count: 1, seed: 1, analyzers: []string{"rca"}, out: filepath.Join(t.TempDir(), "kernels")}}
	kernels := []matrix.Kernel{
		{Spec: matrix.Spec{Series: "6.1", Flavor: "cloud"}, Release: "6.1.0-57-cloud-amd64"},
		{Spec: matrix.Spec{Series: "6.12", Flavor: "rt"}, Release: "6.12.1-rt-amd64"},
		{Spec: matrix.Spec{Path: "./bzImage"}, Release: "6.1.0-57-cloud-amd64"},
	}
	folders, err := o.folders(kernels)
	require.NoError(t, err)
	for number := range kernels {
		store := folders.open(number)
		for _, run := range store.Plan().Runs {
			if number != 1 {
				require.NoError(t, store.Append(recordOf(run, right(run))))
			}
		}
		require.NoError(t, store.Close())
	}
	outcomes := []matrix.Outcome{{Boots: 1}, {Boots: 3, Deaths: []string{"a", "b", "c"}, Err: errors.New("c")}, {Boots: 1}}
	require.NoError(t, folders.write(outcomes))
	return o.out
}

func TestMatrixFolders(t *testing.T) {
	dir := aMatrix(t)
	list, err := results.ReadMatrix(dir)
	require.NoError(t, err)
	assert.Equal(t, []results.MatrixKernel{
		{Spec: "6.1", Release: "6.1.0-57-cloud-amd64", Folder: "6.1.0-57-cloud-amd64", Boots: 1},
		{Spec: "6.12-rt", Release: "6.12.1-rt-amd64", Folder: "6.12.1-rt-amd64", Boots: 3, Deaths: []string{"a", "b", "c"}, GivenUp: "c"},
		{Spec: "./bzImage", Release: "6.1.0-57-cloud-amd64", Folder: "6.1.0-57-cloud-amd64-2", Boots: 1},
	}, list.Kernels)

	o := matrixOptions{cpus: 2, memory: 1024, runOptions: runOptions{resume: dir}}
	require.NoError(t, o.recall())
	assert.Equal(t, results.MatrixGuest{CPUs: 4, Memory: 512, Append: "nosmt"}, results.MatrixGuest{CPUs: o.cpus, Memory: o.memory, Append: o.append})
	folders, err := o.folders(nil)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "6.12.1-rt-amd64"), folders.open(1).Dir())
	require.NoError(t, folders.write([]matrix.Outcome{{}, {Boots: 1}, {}}))
	list, err = results.ReadMatrix(dir)
	require.NoError(t, err)
	assert.Equal(t, 4, list.Kernels[1].Boots)
	assert.Empty(t, list.Kernels[1].GivenUp, "this time it came to its end")

	_, err = matrixOptions{runOptions: runOptions{out: dir}}.folders(nil)
	assert.ErrorContains(t, err, "--resume "+dir+" goes on")
}

// One kernel that played nothing is not hidden by two that did well.
func TestMatrixIsScored(t *testing.T) {
	dir := aMatrix(t)
	r := do(t, "score", dir)
	assert.Equal(t, exitInfra, r.code)
	assert.Regexp(t, `6\.1\.0-57-cloud-amd64 +2 +1\.00`, r.stdout)
	assert.Regexp(t, `6\.12\.1-rt-amd64 +2 +- .*2 lost`, r.stdout)
	assert.Contains(t, r.stderr, "6.12.1-rt-amd64: 2 of 2 planned runs left no record")
	assert.Contains(t, r.stderr, "6.12.1-rt-amd64: given up: c")
	assert.Equal(t, exitInfra, do(t, "score", "--json", dir).code)

	r = do(t, "compare", dir)
	assert.Contains(t, r.stdout, "* 6.1.0-57-cloud-amd64")
	assert.Contains(t, r.stdout, "6.12.1-rt-amd64")
	page := filepath.Join(t.TempDir(), "page.html")
	assert.Equal(t, exitGood, do(t, "report", dir, "-o", page).code)
	assert.FileExists(t, page)

	r = do(t, "export", dir, "--format", "reference")
	assert.Equal(t, exitGood, r.code)
	assert.Contains(t, r.stdout, `"mutex-hold":{"hits":1,"faults":1,"frames":0,"alarms":0,"quiet":1}`)
}

func TestMatricesAreMerged(t *testing.T) {
	dir, out := aMatrix(t), filepath.Join(t.TempDir(), "all")
	r := do(t, "merge", dir, "--out", out)
	assert.Equal(t, exitInfra, r.code, "what was lost stays lost")
	list, err := results.ReadMatrix(out)
	require.NoError(t, err)
	assert.Len(t, list.Kernels, 3)
	folder, err := results.Open(filepath.Join(out, "6.1.0-57-cloud-amd64-2"))
	require.NoError(t, err)
	assert.False(t, folder.Incomplete)
	assert.FileExists(t, filepath.Join(out, reportFile))
	assert.Equal(t, exitUsage, do(t, "merge", dir, "--out", out).code, "it is not empty any more")
}

func TestMatrixNeedsQEMU(t *testing.T) {
	t.Setenv("PATH", "")
	out := filepath.Join(t.TempDir(), "x")
	r := do(t, "matrix", "--kernel", "6.1", "--out", out)
	assert.Equal(t, exitNothing, r.code)
	assert.Contains(t, r.stderr, "install qemu-system-x86")
	assert.NoDirExists(t, out)
	assert.Equal(t, exitUntestable, do(t, "matrix", "--bisect", "--kernel", "6.1", "--out", out).code)
}

// Where folders cannot all be made, none is left to be in the way of the next try.
func TestMatrixFoldersAreMadeTogether(t *testing.T) {
	out := filepath.Join(t.TempDir(), "kernels")
	o := matrixOptions{runOptions: runOptions{run: "^mutex-hold$", count: 1, seed: 1, analyzers: []string{"rca"}, out: out}}
	kernels := []matrix.Kernel{{Release: "6.1.0"}, {Release: "6.12.0"}}
	require.NoError(t, os.MkdirAll(out, 0o755))
	inTheWay := filepath.Join(out, "6.12.0")
	require.NoError(t, os.WriteFile(inTheWay, nil, 0o644))
	_, err := o.folders(kernels)
	require.Error(t, err)
	assert.NoDirExists(t, filepath.Join(out, "6.1.0"))

	require.NoError(t, os.Remove(inTheWay))
	folders, err := o.folders(kernels)
	require.NoError(t, err)
	for number := range kernels {
		require.NoError(t, folders.open(number).Close())
	}
	o.out = filepath.Join(out, "6.1.0")
	_, err = o.folders(kernels)
	assert.ErrorIs(t, err, results.ErrExists, "the folder of one kernel is none for several")
}

func TestGraver(t *testing.T) {
	assert.Equal(t, exitGood, graver(exitGood, exitGood))
	assert.Equal(t, exitBelow, graver(exitGood, exitBelow))
	assert.Equal(t, exitInfra, graver(exitInfra, exitBelow))
	assert.Equal(t, exitBelow, graver(exitBelow, exitNothing))
	assert.Equal(t, exitNothing, graver(exitNothing, exitGood))
}
