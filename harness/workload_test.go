// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience is what a test allows for something that will happen.
const patience = 10 * time.Second

func TestWorkloadPlaysTheProtocol(t *testing.T) {
	s := stageOfFakes(t)
	w, err := startWorkload(filepath.Join(s.WorkloadDir, "good"), []string{"--variant=fault"})
	require.NoError(t, err)
	defer w.stop()
	require.NoError(t, w.hear(t.Context(), "ready", patience))
	require.NoError(t, w.say("go"))
	require.NoError(t, w.hear(t.Context(), "done", patience))
	require.NoError(t, w.wait(t.Context(), patience))
	l, err := w.readLedger()
	require.NoError(t, err)
	assert.True(t, l.Complete())
	assert.Positive(t, w.CPU())
	w.stop()
	requireNoChildren(t)
}

func TestStopLeavesNothing(t *testing.T) {
	s := stageOfFakes(t)
	for _, name := range []string{"good", "mute", "stubborn", "early"} {
		w, err := startWorkload(filepath.Join(s.WorkloadDir, name), nil)
		require.NoError(t, err, name)
		w.stop()
		w.stop()
		requireNoChildren(t)
		_, err = w.ledger.Stat()
		assert.Error(t, err, "%s: the ledger is still open", name)
	}
}

func TestWorkloadThatIsNotThere(t *testing.T) {
	_, err := startWorkload(filepath.Join(t.TempDir(), "absent"), nil)
	require.ErrorContains(t, err, "start workload")
	assert.ErrorContains(t, err, "no such file")
	requireNoChildren(t)
}

func TestHearEndsWithItsContext(t *testing.T) {
	s := stageOfFakes(t)
	w, err := startWorkload(filepath.Join(s.WorkloadDir, "mute"), nil)
	require.NoError(t, err)
	defer w.stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, w.hear(ctx, "ready", patience), context.Canceled)
	assert.ErrorIs(t, w.wait(ctx, patience), context.Canceled)
	assert.ErrorIs(t, w.hear(t.Context(), "ready", time.Millisecond), ErrTimeout)
}

// A workload that cares for nothing ends with the process that started it.
func TestWorkloadDiesWithTheHarness(t *testing.T) {
	s := stageOfFakes(t)
	harness := exec.Command(filepath.Join(s.WorkloadDir, "harness"))
	stdout, err := harness.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, harness.Start())
	pid := readPID(t, stdout)
	require.NoError(t, harness.Process.Kill())
	require.Error(t, harness.Wait())
	requireGone(t, pid)
}
