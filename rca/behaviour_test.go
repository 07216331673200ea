// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func TestTellLocks(t *testing.T) {
	lock := func(s *scene, r contention.Resource) bool {
		ix := newIndex(&s.Trace)
		return ix.objects[ix.resource(r)].lock
	}
	both := newScene(1000*ms, 1, 2)
	both.wait(1, futex(1), 0, 10*ms, by(2))
	both.wait(2, futex(1), 20*ms, 30*ms, by(1))
	assert.True(t, lock(both, futex(1)), "those who let it go have waited for it")

	oneWay := newScene(1000*ms, 1, 2, 3)
	oneWay.wait(2, futex(1), 0, 10*ms, by(1))
	oneWay.wait(3, futex(1), 0, 10*ms, by(1))
	assert.False(t, lock(oneWay, futex(1)))
	oneWay.wait(2, mutex(1), 20*ms, 30*ms, by(1))
	assert.True(t, lock(oneWay, mutex(1)), "a mutex is one however it is used")
	oneWay.wait(2, data(1), 40*ms, 50*ms, by(3))
	oneWay.wait(3, data(1), 60*ms, 70*ms, by(2))
	assert.False(t, lock(oneWay, data(1)), "a pipe is none however it is used")

	half := newScene(1000*ms, 1, 2, 3)
	half.wait(2, futex(1), 0, 10*ms, by(1))
	half.wait(3, futex(1), 20*ms, 30*ms, by(2))
	assert.True(t, lock(half, futex(1)))
	half.wait(3, futex(1), 40*ms, 50*ms, by(1))
	assert.False(t, lock(half, futex(1)), "one of three")

	private := newScene(1000*ms, 1, 2, 3)
	private.wait(2, futex(2), 0, 10*ms, by(1))
	private.wait(3, futex(3), 0, 20*ms, by(2))
	assert.True(t, lock(private, futex(3)))
	assert.True(t, lock(private, futex(2)), "as one of a group")
	elsewhere := futex(4)
	elsewhere.PID = 55
	private.wait(9, elsewhere, 0, 10*ms, by(1))
	assert.False(t, lock(private, elsewhere), "another process has a group of its own")

	assert.False(t, lock(newScene(1000*ms), futex(1)))
}

func TestEveryKindHasANature(t *testing.T) {
	for kind, want := range map[contention.Kind]nature{
		contention.Mutex: aLock, contention.RWLock: aLock, contention.Flock: aLock, contention.KernelRWSem: aLock,
		contention.Futex: either, contention.Semaphore: either,
		contention.Pipe: aProducer, contention.CondVar: aProducer, contention.Barrier: aLock, contention.Join: aProducer,
		contention.Timer: choice, contention.Signal: choice, contention.Poll: choice,
		contention.Disk: outside, contention.Fault: outside, contention.Other: outside, "new": outside,
	} {
		assert.Equal(t, want, natureOf(kind), kind)
	}
}
