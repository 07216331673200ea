// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/os2026/ebpf-rca/contention"
)

// Read reads a capture. With an error it returns what could be read before. The events of
// the trace that could not are then counted in Loss.Detached, so that whoever analyses
// the rest can be sure of less.
func Read(r io.Reader) (Capture, error) {
	c, err := read(r, maxMemory)
	if err != nil {
		return c, fmt.Errorf("read capture: %w", err)
	}
	return c, nil
}

func read(from io.Reader, memory int64) (Capture, error) {
	source := &source{Reader: from}
	unpacked, err := zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return Capture{}, source.explain(err)
	}
	defer unpacked.Close()
	r := &reader{in: bufio.NewReader(unpacked), coder: newCoder(false, memory)}
	c, err := r.read()
	if err != nil {
		return c, source.explain(err)
	}
	return c, nil
}

// source is where the file is read from. It remembers why that failed, to tell it from
// what is wrong with the file.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

func (s *source) explain(err error) error {
	switch {
	case s.err != nil:
		return s.err
	case errors.Is(err, ErrCorrupt), errors.Is(err, ErrVersion), errors.Is(err, ErrTooLarge):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	default: // of the decompression
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
}

type reader struct {
	in    *bufio.Reader
	data  bytes.Buffer // of the section
	coder *coder
}

func (r *reader) read() (Capture, error) {
	if err := r.version(); err != nil {
		return Capture{}, err
	}
	var c Capture
	var s sizes
	if err := r.section(func(coder *coder) { c, s = coder.header(c, s) }); err != nil {
		return Capture{}, err
	}
	err := r.tables(&c.Trace, s)
	if err == nil {
		err = r.end()
	}
	c.Trace.Loss.Detached += s.missing(&c.Trace)
	return c, err
}

// version reads the first line.
func (r *reader) version() error {
	line, err := r.in.Peek(len(firstLine))
	if err != nil && !strings.HasPrefix(firstLine, string(line)) || err == nil && string(line) != firstLine {
		return fmt.Errorf("%w: it begins otherwise", ErrCorrupt)
	}
	if err != nil {
		return err
	}
	line, err = r.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	text := strings.TrimSuffix(string(line[len(firstLine):]), "\n")
	version, err := strconv.ParseUint(text, 10, 32)
	switch {
	case err != nil || version == 0:
		return fmt.Errorf("%w: version %.20q", ErrCorrupt, text)
	case version > Version:
		return fmt.Errorf("%w: version %d, and this one reads up to %d", ErrVersion, version, Version)
	}
	r.coder.version = version
	return nil
}

func (r *reader) tables(t *contention.Trace, s sizes) error {
	if err := readTable(r, &t.Threads, s.threads, (*coder).threadRows); err != nil {
		return err
	}
	if err := readTable(r, &t.Stacks, s.stacks, (*coder).stackRows); err != nil {
		return err
	}
	if err := readTable(r, &t.Waits, s.waits, (*coder).waitRows); err != nil {
		return err
	}
	if err := readTable(r, &t.Preemptions, s.preemptions, (*coder).preemptionRows); err != nil {
		return err
	}
	if err := readTable(r, &t.Samples, s.samples, (*coder).sampleRows); err != nil {
		return err
	}
	return readTable(r, &t.Exits, s.exits, (*coder).exitRows)
}

// readTable reads the size rows of a table, as far as they can be read.
func readTable[T any](r *reader, table *[]T, size int, code func(*coder, []T)) error {
	if size == 0 {
		*table = []T{}
	}
	for len(*table) < size {
		var grown []T
		err := r.section(func(c *coder) {
			n := min(size-len(*table), rowsPerSection)
			var row T
			if take(c, n, row); c.err == nil {
				grown = extend(*table, n, size)
				code(c, grown[len(*table):])
			}
		})
		if err != nil {
			return err
		}
		*table = grown
	}
	return nil
}

// growth is how many times what has been read may be allocated for what is claimed to
// come. The larger, the less is copied, and held twice meanwhile.
const growth = 16

// extend makes a list longer by n zero values. It will have size in the end, if that is
// to be believed; until then it has a growth-th of that, or a growth-th of a growth-th, so
// that the last copy is a small one.
func extend[T any](list []T, n, size int) []T {
	long := len(list) + n
	if long <= cap(list) {
		return list[:long]
	}
	room := size
	for room > growth*long {
		room /= growth
	}
	grown := make([]T, long, max(long, room))
	copy(grown, list)
	return grown
}

func (r *reader) section(code func(*coder)) error {
	if err := readSection(r.in, &r.data); err != nil {
		return err
	}
	r.coder.bytes = r.data.Bytes()
	code(r.coder)
	if r.coder.err == nil && len(r.coder.bytes) > 0 {
		r.coder.corrupt("a section is longer than what is in it")
	}
	return r.coder.err
}

// end checks that nothing follows.
func (r *reader) end() error {
	switch _, err := r.in.ReadByte(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	default:
		return fmt.Errorf("%w: something follows its end", ErrCorrupt)
	}
}
