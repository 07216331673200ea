// SPDX-License-Identifier: Apache-2.0

package results

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMatrixFile(t *testing.T) {
	dir := t.TempDir()
	want := Matrix{Kernels: []MatrixKernel{{Spec: "6.1", Release: "6.1.0", Folder: "6.1.0", Boots: 2, Deaths: []string{"x"}}}}
	require.NoError(t, WriteMatrix(dir, want, nil))
	got, err := ReadMatrix(dir)
	require.NoError(t, err)
	want.Schema = MatrixSchema
	assert.Equal(t, want, got)

	dirs, err := Expand([]string{"a", dir, "b"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", filepath.Join(dir, "6.1.0"), "b"}, dirs)
	_, err = ReadMatrix(t.TempDir())
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestMatrixFileIsChecked(t *testing.T) {
	for text, says := range map[string]string{
		`{"schema":"ebpf-rca/matrix/1","kernels":[]}`:                  "lists no kernel",
		`{"schema":"ebpf-rca/matrix/2"}`:                               "unknown schema",
		`{"schema":"ebpf-rca/matrix/1","kernels":[{"folder":"../x"}]}`: "leaves that of the matrix",
		`{"schema":"ebpf-rca/matrix/1","kernels":[{"folder":""}]}`:     "leaves that of the matrix",
		`{"schema":"ebpf-rca/matrix/1","kernels":`:                     "unexpected end",
		``: "unexpected end",
	} {
		_, err := decodeMatrix(strings.NewReader(text))
		assert.ErrorContains(t, err, says, text)
	}
}

func FuzzDecodeMatrix(f *testing.F) {
	f.Add([]byte(`{"schema":"ebpf-rca/matrix/1","kernels":[{"folder":"6.1"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeMatrix(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		for _, k := range m.Kernels {
			if !filepath.IsLocal(k.Folder) {
				t.Errorf("folder %q", k.Folder)
			}
		}
	})
}

// Parts of a kernel's plan are joined, and kernels stand beside each other.
func TestMergeMatrices(t *testing.T) {
	plan := onePlan(t, 6)
	one, two := playParts(t, plan, 2), playParts(t, plan, 1)
	var dirs []string
	for i, folders := range [][]*Folder{{one[0]}, {one[1], two[0]}} {
		dir := t.TempDir()
		var m Matrix
		for _, f := range folders {
			name := "6.1"
			if f == two[0] {
				name = "6.12"
			}
			require.NoError(t, os.Rename(f.Dir, filepath.Join(dir, name)))
			m.Kernels = append(m.Kernels, MatrixKernel{Release: name, Folder: name, Boots: i + 1})
		}
		require.NoError(t, WriteMatrix(dir, m, nil))
		dirs = append(dirs, dir)
	}
	out := filepath.Join(t.TempDir(), "out")
	require.NoError(t, MergeMatrices(out, dirs, StoreOptions{}))
	list, err := ReadMatrix(out)
	require.NoError(t, err)
	assert.Equal(t, []MatrixKernel{{Release: "6.1", Folder: "6.1", Boots: 3}, {Release: "6.12", Folder: "6.12", Boots: 2}}, list.Kernels)
	for _, k := range list.Kernels {
		assert.False(t, open(t, filepath.Join(out, k.Folder)).Incomplete, k.Folder)
	}
	assert.ErrorIs(t, MergeMatrices(out, dirs, StoreOptions{}), fs.ErrExist)
	assert.ErrorIs(t, MergeMatrices(filepath.Join(t.TempDir(), "x"), []string{t.TempDir()}, StoreOptions{}), fs.ErrNotExist)
}
