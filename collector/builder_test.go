// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"os"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/usym"
)

// noStacks holds no stack.
type noStacks struct{}

func (noStacks) Lookup(any, any) error { return ebpf.ErrKeyNotExist }

// oneStack holds one, by any name.
type oneStack bpf.Stack

func (s oneStack) Lookup(_, value any) error {
	*value.(*bpf.Stack) = bpf.Stack(s)
	return nil
}

// waitsOf is a record of some waits, as the kernel cuts it off.
func waitsOf(waits ...bpf.WaitEvent) []byte {
	b := bpf.WaitBatch{Type: bpf.EventWaits, Count: uint32(len(waits))}
	copy(b.Waits[:], waits)
	return bytesOf(b)[:8+len(waits)*len(bytesOf(bpf.WaitEvent{}))]
}

var window = contention.Window{Begin: 0, End: time.Second}

func waitEvent(tid uint32, begin, woken, ran uint64) bpf.WaitEvent {
	return bpf.WaitEvent{
		Thread:  bpf.TaskID{StartNs: 1, Tid: tid, Tgid: 1},
		Object:  bpf.Object{Call: bpf.CallSleep},
		BlockNs: begin,
		RunNs:   ran,
		Wake:    bpf.Wake{Ns: woken, Kind: bpf.WakeInterrupt},
	}
}

func openWait(tid uint32, begin, woken uint64) bpf.ThreadTotals {
	e := waitEvent(tid, begin, woken, 0)
	totals := bpf.ThreadTotals{Thread: e.Thread, Object: e.Object, OpenNs: begin}
	if woken != 0 {
		totals.Wake = e.Wake
	}
	return totals
}

func TestCutGivesWaits(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	e := waitEvent(2, 10, 20, 25)
	e.Wake = bpf.Wake{Ns: 20, Kind: bpf.WakeThread, By: bpf.TaskID{StartNs: 2, Tid: 3, Tgid: 1}}
	e.Occupant = bpf.TaskID{StartNs: 3, Tid: 4, Tgid: 4}
	require.NoError(t, b.add(waitsOf(waitEvent(5, 30, 40, 45))))
	require.NoError(t, b.add(waitsOf(e)))

	trace := b.cut(window, nil, nil, contention.Loss{})
	require.Len(t, trace.Waits, 2)
	assert.Equal(t, contention.Wait{
		Thread:   contention.ThreadID{TID: 2, Start: 1},
		Resource: contention.Resource{Kind: contention.Timer, PID: 1, TID: 2},
		Begin:    10, Woken: 20, Ran: 25,
		Waker:    contention.Waker{Kind: contention.WokenByThread, Thread: contention.ThreadID{TID: 3, Start: 2}},
		Occupant: contention.ThreadID{TID: 4, Start: 3},
	}, trace.Waits[0], "the earlier wait first")
	assert.Equal(t, contention.WokenByInterrupt, trace.Waits[1].Waker.Kind)
	var tids []int
	for _, thread := range trace.Threads {
		tids = append(tids, thread.TID)
	}
	assert.Equal(t, []int{2, 3, 4, 5}, tids, "all that are mentioned, in order")

	trace = b.cut(window, nil, nil, contention.Loss{})
	assert.Empty(t, trace.Waits, "a wait is told once")
	assert.Empty(t, trace.Threads)
}

func TestCutGivesPreemptionsAndSamples(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	thread := bpf.TaskID{StartNs: 1, Tid: 2, Tgid: 1}
	require.NoError(t, b.add(bytesOf(bpf.PreemptEvent{Type: bpf.EventPreempted, Thread: thread, OutNs: 5, RunNs: 9})))
	require.NoError(t, b.add(bytesOf(bpf.SampleEvent{Type: bpf.EventSample, Thread: thread, Ns: 7})))

	trace := b.cut(window, nil, nil, contention.Loss{})
	id := contention.ThreadID{TID: 2, Start: 1}
	assert.Equal(t, []contention.Preemption{{Thread: id, Begin: 5, Ran: 9}}, trace.Preemptions, "the CPU was idle before")
	assert.Equal(t, []contention.Sample{{Thread: id, At: 7}}, trace.Samples)
}

func TestOpenWaitComesInEveryWindow(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	for range 2 {
		trace := b.cut(window, []bpf.ThreadTotals{openWait(2, 10, 0), {Thread: bpf.TaskID{Tid: 3}}}, nil, contention.Loss{})
		require.Len(t, trace.Waits, 1, "a thread that does not sleep has none")
		assert.True(t, trace.Waits[0].Open())
		assert.Equal(t, time.Duration(10), trace.Waits[0].Begin)
	}
	require.NoError(t, b.add(waitsOf(waitEvent(2, 10, 20, 25))))
	trace := b.cut(window, nil, nil, contention.Loss{})
	require.Len(t, trace.Waits, 1)
	assert.Equal(t, time.Duration(25), trace.Waits[0].Ran)
}

func TestOpenWaitThatEndedMeanwhileComesOnce(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	require.NoError(t, b.add(waitsOf(waitEvent(2, 10, 20, 25))))
	trace := b.cut(window, []bpf.ThreadTotals{openWait(2, 10, 0)}, nil, contention.Loss{})
	require.Len(t, trace.Waits, 1)
	assert.Equal(t, time.Duration(25), trace.Waits[0].Ran)
}

func TestOpenWaitAfterFinishedOnesIsAnother(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	require.NoError(t, b.add(waitsOf(waitEvent(2, 10, 20, 25))))
	trace := b.cut(window, []bpf.ThreadTotals{openWait(2, 30, 0)}, nil, contention.Loss{})
	require.Len(t, trace.Waits, 2)
	assert.True(t, trace.Waits[1].Open())
}

func TestOpenWaitThatWasWokenSaysSo(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	trace := b.cut(window, []bpf.ThreadTotals{openWait(2, 10, 20)}, nil, contention.Loss{})
	require.Len(t, trace.Waits, 1)
	assert.Equal(t, time.Duration(20), trace.Waits[0].Woken)
	assert.Zero(t, trace.Waits[0].Ran)
	assert.Equal(t, contention.WokenByInterrupt, trace.Waits[0].Waker.Kind)
}

func TestThreadIsNamed(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	self := bpf.TaskID{StartNs: 1, Tid: uint32(os.Getpid()), Tgid: uint32(os.Getpid())}
	e := waitEvent(2, 10, 20, 25)
	e.Thread = self
	require.NoError(t, b.add(waitsOf(e)))
	trace := b.cut(window, nil, nil, contention.Loss{})
	assert.Equal(t, "collector.test", trace.Threads[0].Comm, "as it is called now")

	require.NoError(t, b.add(waitsOf(e)))
	trace = b.cut(window, []bpf.ThreadTotals{{Thread: self, Comm: [16]int8{'n', 'e', 'w'}}}, nil, contention.Loss{})
	require.Len(t, trace.Threads, 1)
	assert.Equal(t, "new", trace.Threads[0].Comm, "as the kernel said last")
}

func TestReusedTidIsAnotherThread(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	require.NoError(t, b.add(waitsOf(waitEvent(2, 10, 20, 25))))
	later := openWait(2, 5, 0)
	later.Thread.StartNs = 99
	trace := b.cut(window, []bpf.ThreadTotals{later}, nil, contention.Loss{})
	require.Len(t, trace.Waits, 2)
	assert.Len(t, trace.Threads, 2)
}

func TestLossesAreThoseOfTheWindow(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	lost := contention.Loss{RingFull: 1, MapFull: 2, StackIncomplete: 3, UnmatchedWake: 4, Skipped: 5}
	assert.Equal(t, lost, b.cut(window, nil, nil, lost).Loss)
	lost.RingFull, lost.UnmatchedWake, lost.Skipped, lost.Detached = 6, 5, 7, 2
	later := contention.Loss{RingFull: 5, UnmatchedWake: 1, Skipped: 2, Detached: 2}
	assert.Equal(t, later, b.cut(window, nil, nil, lost).Loss)
	assert.Equal(t, contention.Loss{Detached: 2}, b.cut(window, nil, nil, lost).Loss, "still detached")
}

func TestWakerOutsideOfTheNamespaceIsNobody(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	e := waitEvent(2, 10, 20, 25)
	e.Wake = bpf.Wake{Ns: 20, Kind: bpf.WakeThread, By: bpf.TaskID{StartNs: 2}}
	require.NoError(t, b.add(waitsOf(e)))
	trace := b.cut(window, nil, nil, contention.Loss{})
	assert.Equal(t, contention.Waker{}, trace.Waits[0].Waker)
	assert.Len(t, trace.Threads, 1)
}

func TestAddRefuses(t *testing.T) {
	b := newBuilder(emptyStacks(t))
	require.ErrorIs(t, b.add([]byte{1, 0}), errShort)
	require.ErrorIs(t, b.add(waitsOf(waitEvent(2, 1, 2, 3))[:40]), errShort)
	require.ErrorContains(t, b.add([]byte{200, 0, 0, 0}), "type 200 is unknown")
	assert.Empty(t, b.cut(window, nil, nil, contention.Loss{}).Waits)
}

func TestStackIsResolvedOnce(t *testing.T) {
	b := newBuilder(newStackTable(oneStack{Frames: 2, Pc: [64]uint64{0xa, 0xb}}, newUnwinder(new(queue), nil, nil), usym.New(), nil))
	e := waitEvent(2, 10, 20, 25)
	e.KernelStack = 0x1234
	require.NoError(t, b.add(waitsOf(e)))
	e.KernelStack, e.BlockNs = 0x1234, 30
	require.NoError(t, b.add(waitsOf(e)))
	e.KernelStack, e.BlockNs = 0x5678, 40
	require.NoError(t, b.add(waitsOf(e)))

	trace := b.cut(window, nil, nil, contention.Loss{})
	require.Len(t, trace.Stacks, 3, "none, and two")
	assert.Nil(t, trace.Stack(contention.NoStack))
	assert.Equal(t, trace.Waits[0].KernelStack, trace.Waits[1].KernelStack)
	assert.NotEqual(t, trace.Waits[0].KernelStack, trace.Waits[2].KernelStack)
	assert.Equal(t, contention.Stack{{Address: 0xa, Kernel: true}, {Address: 0xb, Kernel: true}}, trace.Stack(trace.Waits[0].KernelStack))
}

func TestStackLargerThanItCanBeIsRefused(t *testing.T) {
	_, err := readStack(oneStack{Frames: 65}, 7)
	require.ErrorContains(t, err, "read stack 0x7")
}

// It had let the lock go by the time that it ended: where it is gone it was not it that the
// thread went on to wait for.
func TestTheOwnerOfAKernelLockIsNeverGone(t *testing.T) {
	const tid = 1<<22 + 1 // more than there can be
	flock := openWait(1, 10, 0)
	flock.Object = bpf.Object{Call: bpf.CallFlock, Words: [3]uint32{2: tid}}
	mutex := openWait(2, 10, 0)
	mutex.Object = bpf.Object{Call: bpf.CallWrite, KernelLock: 0xf0, LockFlags: lockMutex, Words: [3]uint32{2: tid}}
	b := newBuilder(emptyStacks(t))
	trace := b.cut(window, []bpf.ThreadTotals{flock, mutex}, nil, contention.Loss{})
	require.Len(t, trace.Waits, 2)
	assert.Equal(t, contention.OwnerGone, trace.Waits[0].Late)
	assert.Zero(t, trace.Waits[1].Late)
}

// When all threads have ended since, none of them is known to have ended before.
func TestNoOwnerIsGoneWhereAllAre(t *testing.T) {
	wait := openWait(1<<22+2, 10, 0)
	wait.Object = bpf.Object{Call: bpf.CallFlock, Words: [3]uint32{2: 1<<22 + 1}}
	trace := newBuilder(emptyStacks(t)).cut(window, []bpf.ThreadTotals{wait}, nil, contention.Loss{})
	require.Len(t, trace.Waits, 1)
	assert.Equal(t, 1<<22+1, trace.Waits[0].Owner)
	assert.Zero(t, trace.Waits[0].Late)
}

// What is read of a wait like an earlier one is its times and who had the CPU; the rest is
// as if each had come alone.
func TestWaitsAlikeAreReadOnce(t *testing.T) {
	event := func(begin uint64, occupant uint32) bpf.WaitEvent {
		e := waitEvent(2, begin, begin+10, begin+15)
		e.Object = bpf.Object{Call: bpf.CallFutexWait, Address: 64, Words: [3]uint32{2, 0, 9}, WordsRead: 1, Value: 2}
		e.Wake.Kind, e.Wake.By, e.Wake.Call, e.Wake.Address = bpf.WakeThread, bpf.TaskID{StartNs: 2, Tid: 3, Tgid: 1}, bpf.CallFutexWake, 64
		e.Occupant, e.OccupiedNs = bpf.TaskID{StartNs: 3, Tid: occupant, Tgid: 4}, uint64(occupant)
		return e
	}
	events := []bpf.WaitEvent{event(10, 0), event(30, 4), event(50, 5), event(70, 0)}
	other := event(90, 0)
	other.Object.Address = 128
	events = append(events, other)

	together := newBuilder(emptyStacks(t))
	var alone []contention.Wait
	for _, e := range events {
		require.NoError(t, together.add(waitsOf(e)))
		b := newBuilder(emptyStacks(t))
		require.NoError(t, b.add(waitsOf(e)))
		alone = append(alone, b.cut(window, nil, nil, contention.Loss{}).Waits...)
	}
	assert.Len(t, together.seen, 2)
	assert.Equal(t, alone, together.cut(window, nil, nil, contention.Loss{}).Waits)
	assert.Empty(t, together.seen)
}

// BenchmarkAdd takes the waits of a crowd of eight on one mutex, as the kernel sends them.
func BenchmarkAdd(b *testing.B) {
	var batch [len(bpf.WaitBatch{}.Waits)]bpf.WaitEvent
	for i := range batch {
		e := waitEvent(uint32(1+i%8), 0, 0, 0)
		e.Object = bpf.Object{Call: bpf.CallFutexWait, Address: 64, Words: [3]uint32{2, 0, 9}, WordsRead: 1, Value: 2}
		e.Wake.Kind, e.Wake.By, e.Wake.Call, e.Wake.Address = bpf.WakeThread, bpf.TaskID{StartNs: 1, Tid: uint32(1 + (i+1)%8), Tgid: 1}, bpf.CallFutexWake, 64
		batch[i] = e
	}
	builder := newBuilder(emptyStacks(b))
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n++ {
		for i := range batch {
			batch[i].BlockNs, batch[i].Wake.Ns, batch[i].RunNs = n, n+10, n+20
		}
		if err := builder.add(waitsOf(batch[:]...)); err != nil {
			b.Fatal(err)
		}
		if n%1000 == 999 {
			builder.log = newEventLog()
			clear(builder.seen)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(batch)), "ns/wait")
	b.ReportMetric(0, "ns/op")
}

// What is known of where a thread sleeps is kept if no more can be found out.
func TestUnfinishedStackOfASleeper(t *testing.T) {
	kept := oneStack{Frames: 1, Sure: 1, Truncated: 1}
	b := newBuilder(newStackTable(kept, newUnwinder(new(queue), nil, nil), usym.New(), nil))
	open := openWait(2, 10, 0)
	open.Thread.Tgid = 1 << 30 // there is none, whose memory could be read
	open.UserStack, open.At.Pc = 5, 7
	trace := b.cut(window, []bpf.ThreadTotals{open}, nil, contention.Loss{})
	require.Len(t, trace.Waits, 1)
	stack := trace.Stack(trace.Waits[0].Stack)
	require.Len(t, stack, 1)
	assert.True(t, stack[0].Truncated)
	assert.Equal(t, uint64(1), trace.Loss.StackIncomplete)
}
