// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/cavaliergopher/cpio"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPayload(t *testing.T) {
	host := filepath.Join(t.TempDir(), "host")
	require.NoError(t, os.WriteFile(host, []byte("content"), 0o600))
	var p Payload
	p.AddFile("/boot/config-1", host)
	p.SetCommand("/bin/x", "--flag")
	p.AddLink(InitPath, "/bin/x")
	var archive bytes.Buffer
	require.NoError(t, p.Write(&archive))
	first := bytes.Clone(archive.Bytes())

	type entry struct {
		mode    cpio.FileMode
		content string
	}
	got := map[string]entry{}
	for r := cpio.NewReader(&archive); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		got[header.Name] = entry{header.Mode, string(data) + header.Linkname}
	}
	assert.Equal(t, map[string]entry{
		"boot":          {cpio.TypeDir | 0o755, ""},
		"boot/config-1": {cpio.TypeReg | 0o644, "content"},
		"command":       {cpio.TypeReg | 0o644, "/bin/x\n--flag"},
		"init":          {cpio.TypeSymlink | 0o777, "/bin/x"},
	}, got)

	var again bytes.Buffer
	require.NoError(t, p.Write(&again))
	assert.Equal(t, first, again.Bytes(), "equal payloads make equal archives")
	p.AddFile("/gone", filepath.Join(t.TempDir(), "gone"))
	assert.ErrorIs(t, p.Write(io.Discard), os.ErrNotExist)
}
