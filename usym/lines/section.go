// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bytes"
	"errors"
	"io"
)

// minView is how much is read at once from a file, in bytes.
const minView = 16 << 10

var errSpent = errors.New("too much work")

// section is a section of DWARF: in memory if it was compressed, in the file if not.
// The zero value is an absent one.
type section struct {
	file  io.ReaderAt // nil if in memory
	size  uint64
	data  []byte // all of it, or what of the file was read last
	start uint64 // where data starts in the section
	big   bool
	work  *meter
}

// view returns up to size bytes at an offset, fewer only at the end of the section.
// They are good until the next call.
func (s *section) view(offset, size uint64) ([]byte, error) {
	if offset >= s.size {
		return nil, io.ErrUnexpectedEOF
	}
	size = min(size, s.size-offset)
	if offset < s.start || offset-s.start > uint64(len(s.data)) || size > uint64(len(s.data))-(offset-s.start) {
		if err := s.fill(offset, min(max(size, minView), s.size-offset)); err != nil {
			return nil, err
		}
	}
	return s.data[offset-s.start:][:size], nil
}

func (s *section) fill(offset, size uint64) error {
	if s.file == nil {
		return io.ErrUnexpectedEOF
	}
	if !s.work.spend(int(size / 16)) {
		return errSpent
	}
	if uint64(cap(s.data)) < size {
		s.data = make([]byte, size)
	}
	s.data, s.start = s.data[:size], offset
	if err := readFull(s.file, s.data, int64(offset)); err != nil {
		s.data = s.data[:0]
		return err
	}
	return nil
}

// readFull fills data with what is at an offset.
func readFull(r io.ReaderAt, data []byte, at int64) error {
	n, err := r.ReadAt(data, at)
	if n == len(data) {
		return nil
	}
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

// cursorAt returns a cursor over up to size bytes at an offset, bad if there are none.
func (s *section) cursorAt(offset, size uint64) cursor {
	data, err := s.view(offset, size)
	return cursor{data: data, big: s.big, bad: err != nil}
}

// decode runs read, which returns false to refuse, on what starts at an offset and is
// of unknown length: on more and more bytes until they suffice.
func (s *section) decode(offset uint64, read func(c *cursor) bool) bool {
	const largest = 4 << 20
	for size := uint64(minView); ; size *= 16 {
		c := s.cursorAt(offset, size)
		if c.bad {
			return false
		}
		ok := read(&c)
		if !c.bad {
			return ok
		}
		if size >= largest || size >= s.size-offset {
			return false
		}
	}
}

// take returns size bytes at an offset that stay good. It leaves no large buffer
// behind.
func (s *section) take(offset, size uint64) ([]byte, error) {
	if offset > s.size || size > s.size-offset {
		return nil, io.ErrUnexpectedEOF
	}
	if s.file == nil {
		return s.data[offset:][:size], nil
	}
	if !s.work.spend(int(size / 16)) {
		return nil, errSpent
	}
	data := make([]byte, size)
	if err := readFull(s.file, data, int64(offset)); err != nil {
		return nil, err
	}
	return data, nil
}

// trim drops a large buffer that view has left.
func (s *section) trim() {
	if s.file != nil && cap(s.data) > 4*minView {
		s.data, s.start = nil, 0
	}
}

// text returns the string at an offset, empty if there is none or it is too long.
func (s *section) text(offset uint64) string {
	for _, size := range []uint64{256, maxName} {
		data, err := s.view(offset, size)
		if err != nil {
			return ""
		}
		if end := bytes.IndexByte(data, 0); end >= 0 {
			return string(data[:end])
		}
	}
	return ""
}
