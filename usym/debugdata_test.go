// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withDebugData compiles the program, strips it and puts its symbols, compressed, into
// .gnu_debugdata, as Fedora does.
func withDebugData(t *testing.T, xzFlags ...string) string {
	t.Helper()
	path := build(t, "-Wl,--build-id=none")
	mini := path + ".mini"
	tool(t, "objcopy", "--only-keep-debug", path, mini)
	tool(t, "objcopy", "--strip-debug", "--remove-section=.comment", mini)
	tool(t, "objcopy", "--strip-all", path)
	tool(t, "xz", append(append([]string{}, xzFlags...), mini)...)
	tool(t, "objcopy", "--add-section", ".gnu_debugdata="+mini+".xz", path)
	return path
}

func TestDebugData(t *testing.T) {
	for _, flags := range [][]string{{}, {"--block-size=4096"}, {"-9"}} {
		p := start(t, withDebugData(t, flags...))
		s := New()
		assert.Equal(t, "local_function", s.Frame(Process{PID: p.pid}, p.local).Function)
		assert.Equal(t, "unsized", s.Frame(Process{PID: p.pid}, p.unsized+63).Function, "all functions are known")
	}
}

func TestDebugDataThatIsNone(t *testing.T) {
	path := build(t, "-Wl,--build-id=none")
	junk := path + ".junk"
	require.NoError(t, os.WriteFile(junk, []byte("no .xz file"), 0o600))
	tool(t, "objcopy", "--strip-all", "--add-section", ".gnu_debugdata="+junk, path)
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	m, err := readModule(file, info.Size(), file, origin{pid: os.Getpid(), path: path})
	require.ErrorIs(t, err, errNotXZ)
	require.ErrorContains(t, err, ".gnu_debugdata")
	assert.NotNil(t, m)
	p := start(t, path)
	assert.Empty(t, New().Frame(Process{PID: p.pid}, p.local).Function)
}
