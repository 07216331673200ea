// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestReadTarget(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	proc := fstest.MapFS{
		"7/stat":          file("7 (odd) name (x) S 1 7 7"),
		"7/task/7/comm":   file("main\n"),
		"7/task/10/comm":  file("w1\n"),
		"7/task/8/comm":   file("w0\n"),
		"20/stat":         file("20 (child) S 7 7 7"),
		"20/task/20/comm": file("w0\n"),
		"5/stat":          file("5 (grandchild) S 20 7 7"),
		"5/task/5/comm":   file("w2\n"),
		"30/stat":         file("30 (stranger) S 1 7 7"),
		"30/task/30/comm": file("w9\n"),
		"31/stat":         file("torn"),
		"self/stat":       file("7 (x) S 1"),
	}
	got, err := readTarget(proc, 7)
	require.NoError(t, err)
	assert.Equal(t, target{
		pids: []int{7, 20, 5},
		threads: []contention.Thread{
			{PID: 7, TID: 7, Comm: "main"}, {PID: 7, TID: 8, Comm: "w0"}, {PID: 7, TID: 10, Comm: "w1"},
			{PID: 20, TID: 20, Comm: "w0"}, {PID: 5, TID: 5, Comm: "w2"},
		},
	}, got)

	thread, ours := got.named("w1")
	assert.Equal(t, contention.Thread{PID: 7, TID: 10, Comm: "w1"}, thread)
	assert.True(t, ours)
	thread, ours = got.named("w0")
	assert.Equal(t, contention.Thread{Comm: "w0"}, thread, "one of two")
	assert.True(t, ours)
	_, ours = got.named("w9")
	assert.False(t, ours)

	_, err = readTarget(proc, 99)
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestReadTargetOfThisProcess(t *testing.T) {
	got, err := readTarget(os.DirFS("/proc"), os.Getpid())
	require.NoError(t, err)
	thread, ours := got.thread(os.Getpid(), "")
	assert.True(t, ours)
	assert.Equal(t, os.Getpid(), thread.PID)
}
