// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCostIsCountedOnlyWhenAsked(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "1")
	cost, err := observe(t, p.pid, Options{}).Cost()
	require.NoError(t, err)
	assert.Nil(t, cost.Programs)
	assert.Greater(t, cost.MapBytes, uint64(8<<20), "the ring buffer alone")

	w := observe(t, p.pid, Options{Cost: true})
	w.waits(20, by(uint64(p.pid)))
	cost, err = w.Cost()
	require.NoError(t, err)
	for _, name := range []string{switchProgram(t), "sched_waking"} {
		got := cost.Programs[name]
		assert.Greater(t, got.Runs, uint64(20), name)
		assert.Greater(t, got.Time, time.Duration(0), name)
		assert.Less(t, got.Time, time.Duration(got.Runs)*time.Millisecond, name)
	}
	assert.Contains(t, cost.Programs, "sample")
	later, err := w.Cost()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, later.Programs[switchProgram(t)].Runs, cost.Programs[switchProgram(t)].Runs)
}

func TestAttachEmpty(t *testing.T) {
	needBPF(t)
	empty, err := AttachEmpty()
	require.NoError(t, err)
	assert.Len(t, empty.attachment.links, 2)
	require.NoError(t, empty.CountCost())
	poll(t, "run of the empty programs", func() bool {
		cost, err := empty.Cost()
		require.NoError(t, err)
		assert.Zero(t, cost.MapBytes)
		return cost.Programs["empty_switch"].Runs > 0 && cost.Programs["empty_waking"].Runs > 0
	})
	require.NoError(t, empty.Close())
	require.NoError(t, empty.Close())
}

func TestCostOfSampling(t *testing.T) {
	needBPF(t)
	c, err := NewLockCollector()
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.CountCost())
	poll(t, "switch", func() bool {
		cost, err := c.Cost()
		require.NoError(t, err)
		assert.Positive(t, cost.MapBytes)
		return cost.Programs["sched_switch"].Runs > 0
	})
	loss, err := c.Loss()
	require.NoError(t, err)
	assert.Zero(t, loss.Detached)
}
