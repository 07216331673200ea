// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func tarOf(t *testing.T, names ...string) *bytes.Reader {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, name := range names {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(name)), Mode: 0o644, Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(name))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return bytes.NewReader(archive.Bytes())
}

func TestTakeKernel(t *testing.T) {
	for _, names := range [][]string{
		{"./usr/share/doc/x", "./boot/config-6.1.0", "./boot/vmlinuz-6.1.0"},
		{"./usr/lib/modules/6.1.0/vmlinuz", "./usr/lib/modules/6.1.0/config"},
	} {
		dir := t.TempDir()
		require.NoError(t, takeKernel(tarOf(t, names...), dir, "6.1.0"))
		for _, name := range []string{imageName, configName} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			assert.Contains(t, names, string(data))
		}
	}
	assert.NoError(t, takeKernel(tarOf(t, "./boot/vmlinuz-6.1.0"), t.TempDir(), "6.1.0"), "a configuration is not needed")
	assert.ErrorIs(t, takeKernel(tarOf(t, "./boot/vmlinuz-6.1.1"), t.TempDir(), "6.1.0"), ErrNoKernel)
}
