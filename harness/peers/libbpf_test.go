// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A tool watches once it sleeps by the clock; one that waits for something else does not.
func TestSleeps(t *testing.T) {
	for _, test := range []struct {
		program []string
		sleeps  bool
	}{{[]string{"sleep", "1000"}, true}, {[]string{"sh", "-c", "sleep 1000 & wait"}, false}} {
		p, err := startProcess(exec.Command(test.program[0], test.program[1:]...))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if !test.sleeps {
			ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
		}
		assert.Equal(t, test.sleeps, p.await(ctx, p.sleeps) == nil, test.program)
		cancel()
		require.NoError(t, p.close())
	}
}

// One process is named to the tool; of several it is to watch all.
func TestStartLibbpf(t *testing.T) {
	for want, pids := range map[string][]int{"-p 7\n": {7}, "\n": {7, 8}} {
		said := t.TempDir() + "/said"
		path := fakeTool(t, "tool", `echo "$*" >`+said+"\nexec sleep 1000\n")
		s, err := startLibbpf(t.Context(), path, target{pids: pids})
		require.NoError(t, err)
		require.NoError(t, s.close())
		arguments, err := os.ReadFile(said)
		require.NoError(t, err)
		assert.Equal(t, want, string(arguments))
	}
}

func TestStartLibbpfThatCannot(t *testing.T) {
	path := fakeTool(t, "tool", "echo failed to attach >&2; exit 1")
	_, err := startLibbpf(t.Context(), path, target{pids: []int{7}})
	assert.ErrorIs(t, err, errNeverWatched)
	assert.ErrorContains(t, err, "failed to attach")
}
