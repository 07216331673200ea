// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// errShort says that a record ends before its last field.
var errShort = errors.New("record is too short")

// view copies a T of this machine's byte order and of C's layout out of raw, without
// reflection. What follows it is left alone: the kernel pads records.
func view[T any](raw []byte) (T, error) {
	var out T
	size := int(unsafe.Sizeof(out))
	if len(raw) < size {
		return out, fmt.Errorf("decode %T of %d bytes from %d: %w", out, size, len(raw), errShort)
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&out)), size), raw)
	return out, nil
}

// eventType reads the type that each event of the ring buffer begins with.
func eventType(raw []byte) (bpf.EventType, error) { return view[bpf.EventType](raw) }

// How a batch of waits is laid out, in bytes.
const (
	batchHead = int(unsafe.Offsetof(bpf.WaitBatch{}.Waits))
	waitSize  = int(unsafe.Sizeof(bpf.WaitEvent{}))
)

// countWaits tells how many waits there are in a batch, which may have room for more.
func countWaits(raw []byte) (int, error) {
	if len(raw) < batchHead {
		return 0, fmt.Errorf("decode waits from %d bytes: %w", len(raw), errShort)
	}
	count := int(binary.NativeEndian.Uint32(raw[unsafe.Offsetof(bpf.WaitBatch{}.Count):]))
	if count > (len(raw)-batchHead)/waitSize {
		return 0, fmt.Errorf("decode %d waits from %d bytes: %w", count, len(raw), errShort)
	}
	return count, nil
}

// eachWait calls f with each wait of a batch.
func eachWait(raw []byte, f func(bpf.WaitEvent)) error {
	count, err := countWaits(raw)
	if err != nil {
		return err
	}
	for i := range count {
		event, err := view[bpf.WaitEvent](raw[batchHead+i*waitSize:])
		if err != nil {
			return err
		}
		f(event)
	}
	return nil
}

// decodeTotals reads the records that an iterator wrote one behind the other.
func decodeTotals(raw []byte) ([]bpf.ThreadTotals, error) {
	const size = int(unsafe.Sizeof(bpf.ThreadTotals{}))
	if len(raw)%size != 0 {
		return nil, fmt.Errorf("decode totals of %d bytes each from %d: %w", size, len(raw), errShort)
	}
	totals := make([]bpf.ThreadTotals, 0, len(raw)/size)
	for ; len(raw) > 0; raw = raw[size:] {
		t, err := view[bpf.ThreadTotals](raw)
		if err != nil {
			return nil, err
		}
		totals = append(totals, t)
	}
	return totals, nil
}

func threadOf(id bpf.TaskID) contention.Thread {
	return contention.Thread{
		PID:   int(id.Tgid),
		TID:   int(id.Tid),
		Start: time.Duration(id.StartNs),
	}
}

func commOf(raw [16]int8) string {
	name := unsafe.Slice((*byte)(unsafe.Pointer(&raw[0])), len(raw))
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return string(name)
}
