// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// signalled is a wait on the word at 0x40 that thread 9 ends by a call on another.
func signalled(tid uint32, begin, woken uint64, at uint64) bpf.WaitEvent {
	return bpf.WaitEvent{
		Thread:  bpf.TaskID{StartNs: 1, Tid: tid, Tgid: 1},
		Object:  bpf.Object{Call: bpf.CallFutexWait, Op: futexPrivate, Address: 0x40},
		BlockNs: begin,
		RunNs:   woken + 1,
		Wake: bpf.Wake{
			Ns: woken, Kind: bpf.WakeThread, Call: bpf.CallFutexWake, Address: at,
			By: bpf.TaskID{StartNs: 1, Tid: 9, Tgid: 1},
		},
	}
}

func TestAWaitThatWasMovedIsTwo(t *testing.T) {
	event := contention.Resource{Kind: contention.Futex, Address: 0x40, PID: 1}
	lock := contention.Resource{Kind: contention.Futex, Address: 0x80, PID: 1}
	b := newBuilder(emptyStacks(t))
	require.NoError(t, b.add(waitsOf(
		signalled(2, 10, 100, 0x40),
		signalled(3, 20, 150, 0x80),  // moved at 100
		signalled(4, 120, 160, 0x80), // moved, and nobody was woken meanwhile
	)))
	within := signalled(5, 130, 170, 0x80) // for a kernel lock that it met in the call
	within.Object.KernelLock = 0xf0
	assert.EqualValues(t, notRequeued, b.requeuedTo(within, contention.Resource{}))
	type part struct {
		tid          int
		resource     contention.Resource
		begin, woken int
		same         bool
	}
	var got []part
	for _, w := range b.cut(window, nil, nil, contention.Loss{}).Waits {
		got = append(got, part{w.Thread.TID, w.Resource, int(w.Begin), int(w.Woken), w.Waker.SameObject})
	}
	assert.Equal(t, []part{
		{2, event, 10, 100, true},
		{3, event, 20, 100, true},
		{3, lock, 100, 150, true},
		{4, event, 120, 160, false},
	}, got)
}
