// SPDX-License-Identifier: Apache-2.0

package collector

import "sync"

const (
	// batchBytes is about how much of records is handed on at once.
	batchBytes = 64 << 10
	// maxBatches is how many may wait while symbols are read: 16 MiB of records. Where
	// there are more, they wait in the kernel's buffer, until that is full.
	maxBatches = 256
)

// batch is some records of the ring buffer, one behind the other.
type batch struct {
	data []byte
	ends []int // of each record in data
	// flushed says that what had happened before the last Flush is told.
	flushed bool
}

var batches = sync.Pool{New: func() any { return new(batch) }}

func newBatch() *batch {
	b := batches.Get().(*batch)
	b.data, b.ends, b.flushed = b.data[:0], b.ends[:0], false
	return b
}

func (b *batch) add(record []byte) {
	b.data = append(b.data, record...)
	b.ends = append(b.ends, len(b.data))
}

func (b *batch) full() bool { return len(b.data) >= batchBytes }

// each calls f with each record until it fails.
func (b *batch) each(f func([]byte) error) error {
	begin := 0
	for _, end := range b.ends {
		if err := f(b.data[begin:end:end]); err != nil {
			return err
		}
		begin = end
	}
	return nil
}
