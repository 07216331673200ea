// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// bytesOf is v as the kernel would send it.
func bytesOf[T any](v T) []byte {
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v))...)
}

func TestViewReadsWhatWasWritten(t *testing.T) {
	sent := bpf.PreemptEvent{Type: bpf.EventPreempted, OutNs: 7, RunNs: 1 << 40}
	raw := bytesOf(sent)
	for name, raw := range map[string][]byte{
		"exact":     raw,
		"padded":    append(append([]byte(nil), raw...), 1, 2, 3),
		"unaligned": append([]byte{9}, raw...)[1:],
	} {
		got, err := view[bpf.PreemptEvent](raw)
		require.NoError(t, err, name)
		assert.Equal(t, sent, got, name)
	}
}

func TestViewRefusesWhatIsShort(t *testing.T) {
	raw := bytesOf(bpf.WaitEvent{})
	for _, n := range []int{0, 1, len(raw) - 1} {
		_, err := view[bpf.WaitEvent](raw[:n])
		require.ErrorIs(t, err, errShort, "%d bytes", n)
	}
}

func TestDecodeTotals(t *testing.T) {
	one, two := bpf.ThreadTotals{Waits: 1, BlockedNs: 11}, bpf.ThreadTotals{Waits: 2, OpenNs: 22}
	raw := append(bytesOf(one), bytesOf(two)...)

	got, err := decodeTotals(raw)
	require.NoError(t, err)
	assert.Equal(t, []bpf.ThreadTotals{one, two}, got)

	got, err = decodeTotals(nil)
	require.NoError(t, err)
	assert.Empty(t, got)

	for _, n := range []int{1, len(raw)/2 - 1, len(raw)/2 + 1, len(raw) - 1} {
		_, err := decodeTotals(raw[:n])
		require.ErrorIs(t, err, errShort, "%d bytes", n)
	}
}

func TestThreadOf(t *testing.T) {
	assert.Equal(t, contention.Thread{PID: 1, TID: 2, Start: 5}, threadOf(bpf.TaskID{StartNs: 5, Tid: 2, Tgid: 1}))
}

func TestCommOf(t *testing.T) {
	assert.Equal(t, "ab", commOf([16]int8{'a', 'b', 0, 'x'}))
	assert.Empty(t, commOf([16]int8{}))
	var full [16]int8
	for i := range full {
		full[i] = 'n'
	}
	assert.Equal(t, "nnnnnnnnnnnnnnnn", commOf(full), "a name without an end")
}

func TestEachWait(t *testing.T) {
	var got []uint32
	note := func(e bpf.WaitEvent) { got = append(got, e.Thread.Tid) }
	raw := waitsOf(waitEvent(2, 1, 2, 3), waitEvent(5, 1, 2, 3))
	require.NoError(t, eachWait(append(raw, 0, 0, 0), note), "the kernel pads records")
	assert.Equal(t, []uint32{2, 5}, got)
	require.NoError(t, eachWait(waitsOf(), note))
	require.ErrorIs(t, eachWait(raw[:len(raw)-1], note), errShort)
	require.ErrorIs(t, eachWait(raw[:7], note), errShort)
	assert.Len(t, got, 2, "nothing of what is refused")
}

// Any bytes at all are decoded or refused, and what is decoded encodes to the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add(bytesOf(bpf.ThreadTotals{Type: bpf.EventExit, OpenNs: 3}))
	f.Add(append(bytesOf(bpf.ThreadTotals{}), 1))
	f.Fuzz(func(t *testing.T, raw []byte) {
		totals, err := decodeTotals(raw)
		if err != nil {
			require.ErrorIs(t, err, errShort)
			return
		}
		var back []byte
		for _, total := range totals {
			back = append(back, bytesOf(total)...)
		}
		require.Equal(t, string(raw), string(back))
	})
}

// Any record is taken or refused, and no time that it names can make a wait last
// less than nothing in the eyes of who sorts and adds.
func FuzzAdd(f *testing.F) {
	f.Add([]byte{})
	f.Add(waitsOf(waitEvent(2, 1, 2, 3), waitEvent(2, 4, 5, 6)))
	f.Add(bytesOf(bpf.WaitBatch{Type: bpf.EventWaits, Count: 17}))
	f.Add(bytesOf(bpf.PreemptEvent{Type: bpf.EventPreempted}))
	f.Add(bytesOf(bpf.SampleEvent{Type: bpf.EventSample}))
	f.Add(bytesOf(bpf.ExecEvent{Type: bpf.EventExec}))
	f.Add(bytesOf(bpf.ThreadTotals{Type: bpf.EventExit}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b := newBuilder(emptyStacks(t))
		if err := b.add(raw); err != nil {
			return
		}
		trace := b.cut(contention.Window{End: time.Second}, nil, nil, contention.Loss{})
		require.LessOrEqual(t, len(trace.Waits), len(raw)/100)
		require.LessOrEqual(t, len(trace.Preemptions)+len(trace.Samples), 1)
		for _, w := range trace.Waits {
			require.GreaterOrEqual(t, int(w.Stack), 0)
		}
	})
}
