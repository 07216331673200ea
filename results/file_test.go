// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPutFileReadsBack(t *testing.T) {
	dir := t.TempDir()
	data := bytes.Repeat([]byte("wait hold wait "), 1000)
	for _, name := range []string{"bench.txt", "ledgers/0.json.zst", "a/b/c"} {
		require.NoError(t, PutFile(dir, name, []byte("older"), nil))
		require.NoError(t, PutFile(dir, name, data, nil))
		got, err := ReadFile(dir, name)
		require.NoError(t, err)
		assert.Equal(t, data, got, name)
	}
	info, err := os.Stat(filepath.Join(dir, "ledgers/0.json.zst"))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(len(data)/10))
	left, err := filepath.Glob(filepath.Join(dir, "*", ".writing-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestPutFileCompressesOnce(t *testing.T) {
	dir := t.TempDir()
	packed, err := pack([]byte("wait"))
	require.NoError(t, err)
	require.NoError(t, PutFile(dir, "x.zst", packed, nil))
	kept, err := os.ReadFile(filepath.Join(dir, "x.zst"))
	require.NoError(t, err)
	assert.Equal(t, packed, kept)
}

func TestPutFileStaysInTheFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"../out", "/etc/out", ""} {
		assert.ErrorContains(t, PutFile(dir, name, nil, nil), "leaves the folder")
		_, err := ReadFile(dir, name)
		assert.ErrorContains(t, err, "leaves the folder")
	}
}

func TestPutFileLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "taken", "inside"), 0o755))
	assert.ErrorContains(t, PutFile(dir, "taken", []byte("x"), nil), "write taken")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestReadFileOfDamagedArchive(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.zst"), []byte("not zstd"), 0o644))
	_, err := ReadFile(dir, "x.zst")
	assert.ErrorContains(t, err, "decompress x.zst")
}
