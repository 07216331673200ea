// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func says(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func TestWriteOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	require.NoError(t, writeOutput("--folded", path, says("one")))
	require.NoError(t, writeOutput("--folded", path, says("two")))
	require.ErrorIs(t, writeOutput("--folded", path, func(w io.Writer) error { return assert.AnError }), assert.AnError)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "two", string(data), "the old file stays where a new one fails")
	require.NoError(t, writeOutput("--folded", "", func(io.Writer) error { return assert.AnError }), "no file was asked for")
}

func TestWriteOutputThroughALink(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.NoError(t, os.Symlink("file", filepath.Join(dir, "link")))
	require.NoError(t, writeOutput("--folded", filepath.Join(dir, "link"), says("text")))
	data, err := os.ReadFile(filepath.Join(dir, "file"))
	require.NoError(t, err)
	assert.Equal(t, "text", string(data))
	info, err := os.Lstat(filepath.Join(dir, "link"))
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink, "the link is still one")
}

// A device or a pipe is written to and never replaced.
func TestWriteOutputToWhatIsNoFile(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink("/proc/self/fd/"+itoa(int(w.Fd())), link))
	require.NoError(t, writeOutput("--folded", link, says("text")))
	require.NoError(t, w.Close())
	var got bytes.Buffer
	_, err = got.ReadFrom(r)
	require.NoError(t, err)
	assert.Equal(t, "text", got.String())
}
