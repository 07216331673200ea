// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// bzImage is as small an image as there can be: a boot sector, one of setup, and 32 bytes.
func bzImage(release string) []byte {
	image := make([]byte, 2*512+32)
	image[setupSectors] = 1
	binary.LittleEndian.PutUint32(image[protectedSize:], 2)
	copy(image[headerMagic:], "HdrS")
	binary.LittleEndian.PutUint16(image[releasePointer:], 0x20)
	copy(image[0x220:], release+" (builder@host) #1 SMP\x00")
	return image
}

func TestImageRelease(t *testing.T) {
	image := bzImage("6.12.117+deb13-cloud-amd64")
	release, err := imageRelease(bytes.NewReader(image), int64(len(image)))
	require.NoError(t, err)
	assert.Equal(t, "6.12.117+deb13-cloud-amd64", release)

	other := func(change func(image []byte) []byte) error {
		image := change(bzImage("6.1.0"))
		_, err := imageRelease(bytes.NewReader(image), int64(len(image)))
		return err
	}
	assert.ErrorContains(t, other(func(i []byte) []byte { return i[:len(i)-1] }), "cut off: it has 1055 bytes of 1056")
	assert.ErrorContains(t, other(func(i []byte) []byte { return i[:100] }), "no kernel image")
	assert.ErrorContains(t, other(func(i []byte) []byte { return nil }), "no kernel image")
	assert.ErrorContains(t, other(func(i []byte) []byte { i[headerMagic] = 0; return i }), "bzImage")
	assert.ErrorContains(t, other(func(i []byte) []byte { i[0x220] = '/'; return i }), "tells no release")
	assert.ErrorContains(t, other(func(i []byte) []byte { i[setupSectors] = 0; return i }), "cut off", "0 means 4")
}

func TestOpenKernelFindsItsConfiguration(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "vmlinuz")
	require.NoError(t, os.WriteFile(path, bzImage("6.9.0-rc3"), 0o644))
	k, err := OpenKernel(path)
	require.NoError(t, err)
	assert.Equal(t, Kernel{Spec: Spec{Path: path}, Release: "6.9.0-rc3", Image: path}, k)

	require.NoError(t, os.WriteFile(filepath.Join(dir, ".config"), nil, 0o644))
	k, err = OpenKernel(path)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, ".config"), k.Config)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "config-6.9.0-rc3"), nil, 0o644))
	k, err = OpenKernel(path)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "config-6.9.0-rc3"), k.Config, "the one of this release goes first")

	_, err = OpenKernel(dir)
	assert.ErrorContains(t, err, "it is no file")
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, unix.Mkfifo(pipe, 0o644))
	_, err = OpenKernel(pipe)
	assert.ErrorContains(t, err, "it is no file", "and it does not wait for a writer")
	_, err = OpenKernel(filepath.Join(dir, "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzImageRelease(f *testing.F) {
	f.Add(bzImage("6.1.0"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, image []byte) {
		release, err := imageRelease(bytes.NewReader(image), int64(len(image)))
		if err == nil && (release == "" || filepath.Base(release) != release) {
			t.Errorf("release %q cannot name a file", release)
		}
	})
}
