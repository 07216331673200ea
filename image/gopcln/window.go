// SPDX-License-Identifier: Apache-2.0

package gopcln

import (
	"fmt"
	"io"

	"github.com/os2026/ebpf-rca/image"
)

// window reads r through the last 64 KiB that were asked for.
type window struct {
	r      io.ReaderAt
	offset int64
	data   []byte
	left   int64 // bytes that may yet be read of r
}

const windowBytes = 64 << 10

// window returns one over the table. A table whose parts are in any order would be read
// anew for each function, so there is an end to that.
func (t *Table) window() *window {
	const each = 512 // a record is a quarter of that at the most
	return &window{r: t.r, left: int64(t.Functions)*each + 16*windowBytes}
}

// ReadAt implements io.ReaderAt for reads that are shorter than the window.
func (w *window) ReadAt(p []byte, offset int64) (int, error) {
	if at := offset - w.offset; at < 0 || at+int64(len(p)) > int64(len(w.data)) {
		buffer := w.data[:cap(w.data)]
		if len(buffer) == 0 {
			buffer = make([]byte, windowBytes)
		}
		if w.left -= windowBytes; w.left < 0 {
			return 0, fmt.Errorf("reading a table in disorder: %w", image.ErrTooLarge)
		}
		n, err := w.r.ReadAt(buffer, offset)
		w.offset, w.data = offset, buffer[:n]
		if n < len(p) {
			return copy(p, w.data), orUnexpectedEOF(err)
		}
	}
	return copy(p, w.data[offset-w.offset:]), nil
}

func orUnexpectedEOF(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}
