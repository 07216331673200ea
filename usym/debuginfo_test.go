// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// requireInlined asserts that a program built from inlining shows the call in outer of
// what was inlined there.
func requireInlined(t *testing.T, frames contention.Stack) {
	t.Helper()
	require.Len(t, frames, 2)
	assert.Equal(t, "inner", frames[0].Function)
	assert.True(t, frames[0].Inlined)
	assert.Equal(t, 3, frames[0].Line)
	assert.Equal(t, "outer", frames[1].Function)
	assert.False(t, frames[1].Inlined)
	assert.Equal(t, 4, frames[1].Line)
	for _, f := range frames {
		assert.Equal(t, "program.c", filepath.Base(f.File))
		assert.Equal(t, "program", f.Module)
		assert.Equal(t, frames[0].Address, f.Address)
	}
}

// inlining prints the address behind an instruction of inner and waits for its input to
// be closed.
const inlining = `#include <stdio.h>
extern char here[];
static inline __attribute__((always_inline)) int inner(int x) { __asm__ volatile(".globl here\nhere: nop"); return x + 1; }
__attribute__((noinline)) int outer(int x) { return inner(x) + 2; }
int main(int argc, char **argv) { (void)argv; printf("%p 0x0 0x0 0x0 0x0\n", (void *)here); fflush(stdout); return outer(argc) + getchar(); }
`

func buildInlining(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path+".c", []byte(inlining), 0o600))
	out, err := exec.Command("cc", "-O2", "-g", "-o", path, path+".c").CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

func TestInlinedFrames(t *testing.T) {
	p := start(t, buildInlining(t))
	s := New()
	defer s.Close()
	requireInlined(t, s.Frames(Process{PID: p.pid}, []uint64{p.global}))
}

func TestInlinedFramesOfADebugFile(t *testing.T) {
	path := buildInlining(t)
	for _, args := range [][]string{
		{"--only-keep-debug", path, path + ".debug"}, {"--strip-debug", path}, {"--add-gnu-debuglink=" + path + ".debug", path},
	} {
		out, err := exec.Command("objcopy", args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	p := start(t, path)
	s := New()
	defer s.Close()
	requireInlined(t, s.Frames(Process{PID: p.pid}, []uint64{p.global}))
}
