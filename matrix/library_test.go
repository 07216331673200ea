// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoadedFiles(t *testing.T) {
	assert.Equal(t, []string{"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/opt/a b/libx.so"}, loadedFiles(`	linux-vdso.so.1 (0x00007ffd3b5f2000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f1c1a000000)
	/lib64/ld-linux-x86-64.so.2 (0x00007f1c1a3d5000)
	libx.so => /opt/a b/libx.so (0x00007f1c1a3d5000)
	libmissing.so => not found
`))
}

func TestLibrariesOf(t *testing.T) {
	libraries, err := librariesOf(t.Context(), "/bin/sh")
	require.NoError(t, err)
	for _, library := range libraries {
		_, err := os.Stat(library)
		assert.NoError(t, err)
	}
	_, err = librariesOf(t.Context(), "/etc/passwd")
	assert.Error(t, err, "no program")
}
