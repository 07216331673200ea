// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// firstLine is the beginning of the first line, which the version ends.
	firstLine = "ebpf-rca/capture/"
	// rowsPerSection is how many rows of a table a section holds.
	rowsPerSection = 16 << 10
	// window is how far back the compression looks, in bytes. A reader needs as much memory.
	window = 1 << 20
	// maxMemory bounds what a capture takes in memory, in bytes: nine million waits.
	maxMemory = 2 << 30
)

// Write writes a capture. It does not change it.
func Write(w io.Writer, c Capture) error {
	if err := write(w, c, maxMemory); err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	return nil
}

func write(to io.Writer, capture Capture, memory int64) error {
	packed, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return err
	}
	w := &writer{packed: packed, coder: newCoder(true, memory)}
	if err := w.write(&capture); err != nil {
		return err
	}
	return packed.Close()
}

type writer struct {
	packed *zstd.Encoder
	coder  *coder
}

func (w *writer) write(capture *Capture) error {
	if _, err := fmt.Fprintf(w.packed, "%s%d\n", firstLine, Version); err != nil {
		return err
	}
	t := &capture.Trace
	if err := w.section(func(c *coder) { c.header(*capture, sizesOf(t)) }); err != nil {
		return err
	}
	if err := writeTable(w, t.Threads, (*coder).threadRows); err != nil {
		return err
	}
	if err := writeTable(w, t.Stacks, (*coder).stackRows); err != nil {
		return err
	}
	if err := writeTable(w, t.Waits, (*coder).waitRows); err != nil {
		return err
	}
	if err := writeTable(w, t.Preemptions, (*coder).preemptionRows); err != nil {
		return err
	}
	if err := writeTable(w, t.Samples, (*coder).sampleRows); err != nil {
		return err
	}
	return writeTable(w, t.Exits, (*coder).exitRows)
}

// writeTable writes the rows of a table, through a copy that the coder may write to.
func writeTable[T any](w *writer, table []T, code func(*coder, []T)) error {
	rows := make([]T, 0, min(len(table), rowsPerSection))
	for len(table) > 0 {
		n := min(len(table), rowsPerSection)
		rows = append(rows[:0], table[:n]...)
		table = table[n:]
		err := w.section(func(c *coder) {
			take(c, n, rows[0])
			code(c, rows)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) section(code func(*coder)) error {
	w.coder.bytes = w.coder.bytes[:0]
	code(w.coder)
	if w.coder.err != nil {
		return w.coder.err
	}
	if err := writeSection(w.packed, w.coder.bytes); err != nil {
		return err
	}
	return w.packed.Flush()
}
