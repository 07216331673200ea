// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// hung observes testdata/hung.c until what sleeps has slept for long, and returns the
// open wait of each of its threads.
func hung(t *testing.T) (said map[string]uint64, trace *contention.Trace, waits map[uint64]contention.Wait) {
	needBPF(t)
	p := startCommand(t, exec.Command(compile(t, "hung")))
	w := observe(t, p.pid, Options{})
	poll(t, "a word that changed long ago", func() bool {
		trace = w.look()
		waits = make(map[uint64]contention.Wait)
		for _, wait := range trace.Waits {
			waits[uint64(wait.Thread.TID)] = wait
		}
		return waits[p.said["sleeper"]].Late.Has(contention.WordChanged)
	})
	return p.said, trace, waits
}

// What began before the observation is as well known as what begins under its eyes.
func TestObserveWhatHangsAlready(t *testing.T) {
	said, trace, waits := hung(t)
	for name, c := range map[string]struct {
		owner, function string
		kind            contention.Kind
		late            contention.LateLook
	}{
		"left":    {"right", "take_right", contention.Mutex, contention.OwnerRead},
		"right":   {"left", "take_left", contention.Mutex, contention.OwnerRead},
		"heir":    {"dead", "take_orphan", contention.Mutex, contention.OwnerRead | contention.OwnerGone},
		"sleeper": {"", "await_ready", contention.Futex, contention.WordChanged},
	} {
		wait := waits[said[name]]
		require.True(t, wait.Open(), name)
		assert.Equal(t, c.kind, wait.Resource.Kind, name)
		assert.Equal(t, int(said[c.owner]), wait.Owner, name)
		assert.Equal(t, c.late, wait.Late, name)
		var functions []string
		for _, f := range trace.Stack(wait.Stack) {
			functions = append(functions, f.Function)
			assert.False(t, f.Guessed, "%s: %v", name, f)
		}
		assert.Contains(t, functions, c.function, name)
	}
	assert.Equal(t, contention.Address(said["word"]), waits[said["sleeper"]].Resource.Address)
}
