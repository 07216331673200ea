// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

// mapFile maps a new file of this process and returns its mapping.
func mapFile(t *testing.T, text string) (path string, find func() image.Mapping) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	memory, err := syscall.Mmap(int(f.Fd()), 0, len(text), syscall.PROT_READ, syscall.MAP_SHARED)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, syscall.Munmap(memory)) })
	info, err := f.Stat()
	require.NoError(t, err)
	inode := info.Sys().(*syscall.Stat_t).Ino
	return path, func() image.Mapping {
		maps, err := image.OpenMaps(os.Getpid())
		require.NoError(t, err)
		for _, m := range maps {
			if m.Inode == inode && m.Name() == "file" {
				return m
			}
		}
		require.FailNow(t, "the mapping is not listed")
		return image.Mapping{}
	}
}

func requireText(t *testing.T, want string, m image.Mapping) {
	t.Helper()
	f, err := image.Open(os.Getpid(), m)
	require.NoError(t, err)
	defer f.Close()
	got, err := io.ReadAll(f)
	require.NoError(t, err)
	assert.Equal(t, want, string(got))
}

func TestOpenByPath(t *testing.T) {
	path, find := mapFile(t, "by path")
	m := find()
	assert.Equal(t, path, m.Path)
	requireText(t, "by path", m)
}

// requireMapFiles skips where the kernel does not let this process use map_files.
func requireMapFiles(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs CAP_CHECKPOINT_RESTORE")
	}
}

func TestOpenDeleted(t *testing.T) {
	requireMapFiles(t)
	path, find := mapFile(t, "deleted")
	require.NoError(t, os.Remove(path))
	m := find()
	assert.True(t, m.Deleted)
	assert.Equal(t, path, m.Path)
	requireText(t, "deleted", m)
}

func TestOpenNotWhatTookThePath(t *testing.T) {
	requireMapFiles(t)
	path, find := mapFile(t, "the mapped one")
	stale := find()
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("another"), 0o600))
	requireText(t, "the mapped one", stale)
}

func TestOpenDoesNotWaitForAFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := image.Open(os.Getpid(), image.Mapping{Start: 0x1000, End: 0x2000, Inode: 1, Path: path})
	require.ErrorIs(t, err, fs.ErrInvalid)
}

func TestOpenNoFile(t *testing.T) {
	for _, m := range []image.Mapping{{Path: "[heap]"}, {}, {Path: "/x"}} {
		_, err := image.Open(os.Getpid(), m)
		require.ErrorIs(t, err, fs.ErrInvalid)
	}
	_, err := image.Open(os.Getpid(), image.Mapping{Start: 1, End: 2, Inode: 1, Path: "/no/such/file"})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A process that is gone has no root directory any more.
const nobody = 1 << 30

func TestFileOfAProcessThatIsGoneIsKnownByItsInode(t *testing.T) {
	path, find := mapFile(t, "text")
	m := find()
	f, err := image.Open(nobody, m)
	require.NoError(t, err)
	text, err := io.ReadAll(f)
	require.NoError(t, errors.Join(err, f.Close()))
	assert.Equal(t, "text", string(text))

	require.NoError(t, os.Rename(path, path+".old"))
	require.NoError(t, os.WriteFile(path, []byte("other"), 0o600))
	_, err = image.Open(nobody, m)
	assert.ErrorIs(t, err, fs.ErrNotExist, "another file at its place")
}
