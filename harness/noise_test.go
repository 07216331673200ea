// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/results"
)

func noisy(threads int) results.Run {
	r := faultRun(0, "good")
	r.Dose.Noise = threads
	return r
}

// runFakes fails if any process is left.
func TestNoiseIsPlayedBesideTheRun(t *testing.T) {
	observer := &fakeObserver{}
	sink, err := runFakes(t, Options{Observer: observer}, noisy(32))
	require.NoError(t, err)
	assert.Equal(t, results.Hit, sink.records[0].Verdict)
	assert.Equal(t, 32, sink.records[0].Dose.Noise)
	assert.Len(t, observer.pids, 1, "nobody is told of the noise")
}

func TestNoiseThatEnds(t *testing.T) {
	s := stageOfFakes(t)
	n, err := s.startNoise(t.Context(), noisy(7))
	require.NoError(t, err)
	defer n.stop()
	<-n.program.Ended()
	assert.ErrorIs(t, n.check(), errNoiseEnded)
	assert.ErrorContains(t, n.check(), "exit status 1")
}

func TestNoiseThatDoesNotStart(t *testing.T) {
	s := stageOfFakes(t)
	_, err := Stage{WorkloadDir: "/nonexistent"}.startNoise(t.Context(), noisy(1))
	assert.ErrorContains(t, err, "start noise: ")
	n, err := s.startNoise(t.Context(), noisy(0))
	require.NoError(t, err)
	assert.NoError(t, n.check())
	n.stop()
	requireNoChildren(t)
}
