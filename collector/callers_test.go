// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

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

// That a thread came by in one way many times does not hide for long that it now comes in
// another.
func TestCallersInBurstsAreToldApart(t *testing.T) {
	needBPF(t)
	p := startCommand(t, exec.Command(compile(t, "callers"), "bursts"))
	w := observe(t, p.pid, Options{})
	waits := slices.CompactFunc(w.waits(2000, by(uint64(p.pid)))[1000:], func(a, b contention.Wait) bool {
		return a.Begin == b.Begin // the one that was open when a window was cut
	})
	// A walk is trusted for a tenth of a millisecond. On a busy machine a burst may come to be
	// some waits longer.
	const burst, long, gap = 20, time.Millisecond, 200 * time.Microsecond
	last, run, end, before := "", 0, time.Duration(0), time.Duration(0)
	for _, wait := range waits {
		names := functionsOf(w.seen.Stack(wait.Stack))
		sibling := names[slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, "sibling_") })]
		if sibling != last || wait.Begin-before > gap { // a nap that was over before it began is not seen
			run, last = 0, sibling
		}
		if run++; run <= burst {
			end = wait.Begin
		}
		require.Less(t, wait.Begin-end, long, "nap %d of %s", run, sibling)
		before = wait.Begin
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
