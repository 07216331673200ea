// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// nap is where a nap was taken, and whether by the functions with an a in their names.
type nap struct {
	stack contention.Stack
	byA   bool
}

// napping plays a mode of testdata/callers.c and returns some of the naps.
func napping(t *testing.T, mode string, opts Options) []nap {
	t.Helper()
	needBPF(t)
	p := startCommand(t, exec.Command(compile(t, "callers"), mode))
	w := observe(t, p.pid, opts)
	// What was met first lacked rules, and some of it stayed without.
	waits := w.waits(600, by(uint64(p.pid)))[200:]
	naps := make([]nap, len(waits))
	for i, wait := range waits {
		naps[i] = nap{w.seen.Stack(wait.Stack), uint64(wait.Resource.Address) == p.said["a"]}
	}
	return naps
}

func functionsOf(stack contention.Stack) []string {
	names := make([]string, len(stack))
	for i, f := range stack {
		names[i] = f.Function
	}
	return names
}

// The stack pointer and all but one word of the stack are alike.
func TestCallersInTurnAreToldApart(t *testing.T) {
	for mode, callers := range map[string]map[bool]string{
		"siblings": {true: "sibling_a", false: "sibling_b"},
		"cousins":  {true: "cousin_a", false: "cousin_b"},
	} {
		t.Run(mode, func(t *testing.T) {
			for _, nap := range napping(t, mode, Options{}) {
				names := functionsOf(nap.stack)
				require.Contains(t, names, callers[nap.byA])
				require.NotContains(t, names, callers[!nap.byA])
				require.Contains(t, names, "main")
				require.False(t, nap.stack[len(nap.stack)-1].Truncated)
			}
		})
	}
}

func TestDeepStackSaysThatItGoesOn(t *testing.T) {
	for _, nap := range napping(t, "deep", Options{}) {
		stack := nap.stack
		assert.GreaterOrEqual(t, len(stack), 64)
		assert.Equal(t, "nap", stack[slices.Index(functionsOf(stack), "descend")-1].Function)
		last := stack[len(stack)-1]
		assert.True(t, last.Truncated || last.Function != "descend", "it ends where it ends, or says that it does not")
	}
}

func TestStackOverASignalHandler(t *testing.T) {
	for _, nap := range napping(t, "signal", Options{}) {
		names := functionsOf(nap.stack)
		handler, below := slices.Index(names, "handle"), slices.Index(names, "interrupted")
		require.Positive(t, handler, names)
		require.Greater(t, below, handler, names)
		require.Equal(t, "main", names[below+1])
	}
}

func TestFramePointersAreAGuess(t *testing.T) {
	for _, nap := range napping(t, "siblings", Options{FramePointers: true}) {
		stack := nap.stack
		require.NotEmpty(t, stack)
		assert.False(t, stack[0].Guessed)
		for _, frame := range stack[1:] {
			assert.True(t, frame.Guessed)
		}
	}
}
