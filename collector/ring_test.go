// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func emptyRing(t *testing.T) *ring {
	needBPF(t)
	m, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.RingBuf, MaxEntries: 4096})
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	r, err := openRing(m)
	require.NoError(t, err)
	return r
}

func never() bool { return false }

func TestRingThatStaysEmpty(t *testing.T) {
	r := emptyRing(t)
	record, err := r.next()
	require.NoError(t, err)
	assert.Nil(t, record)
	begin := time.Now()
	assert.True(t, r.await(never, 20*time.Millisecond))
	assert.True(t, r.pause(never, 20*time.Millisecond))
	assert.GreaterOrEqual(t, time.Since(begin), 40*time.Millisecond)
	require.NoError(t, r.close())
}

// Whoever waits is told at once, be it before or after it begins to.
func TestRingIsWokenAndStopped(t *testing.T) {
	r := emptyRing(t)
	asked, over := make(chan struct{}), make(chan bool)
	go func() { over <- r.await(func() bool { close(asked); return false }, time.Hour) }()
	<-asked
	r.wake()
	assert.True(t, <-over)

	r.wake()
	assert.True(t, r.await(func() bool { return true }, time.Hour), "what has happened before is seen")

	asked = make(chan struct{})
	go func() { over <- r.pause(func() bool { close(asked); return false }, time.Hour) }()
	<-asked
	require.NoError(t, r.stop())
	assert.False(t, <-over)
	assert.False(t, r.await(never, time.Hour))
	require.NoError(t, r.close())
}
