// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"github.com/os2026/ebpf-rca/contention"
)

// coder puts values into the bytes of a section or takes them out. Its methods return
// the value: the one given when writing, the one found when reading. So what a section
// holds is said once, for both directions.
//
// After an error all values are zero.
type coder struct {
	writing bool
	version uint64
	bytes   []byte // written so far, or not read yet
	err     error
	// room is how much memory, in bytes, what is still to come may take when read.
	room int64

	texts     dictionary[string]
	threads   dictionary[contention.ThreadID]
	resources dictionary[contention.Resource]
	frames    dictionary[contention.Frame]
}

func newCoder(writing bool, room int64) *coder {
	return &coder{
		writing: writing, version: Version, room: room,
		texts:     newDictionary[string](),
		threads:   newDictionary[contention.ThreadID](),
		resources: newDictionary[contention.Resource](),
		frames:    newDictionary[contention.Frame](),
	}
}

func (c *coder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.bytes = nil
}

func (c *coder) corrupt(format string, args ...any) {
	c.fail(fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...)))
}

// take counts memory for n more values like v.
func take[T any](c *coder, n int, v T) {
	if c.room -= int64(n) * int64(unsafe.Sizeof(v)); c.room < 0 {
		c.fail(ErrTooLarge)
	}
}

type integer interface {
	~int | ~int32 | ~int64 | ~uint64 | ~uint8
}

func number[T integer](c *coder, v T) T {
	if c.writing {
		c.bytes = binary.AppendVarint(c.bytes, int64(v))
		return v
	}
	x, n := binary.Varint(c.bytes)
	if n <= 0 || int64(T(x)) != x {
		c.corrupt("a number does not end, or is too large")
		return 0
	}
	c.bytes = c.bytes[n:]
	return T(x)
}

// from codes v as its difference to another value, which both sides know.
func from[T integer](c *coder, base, v T) T { return base + number(c, v-base) }

func (c *coder) flag(v bool) bool {
	var n uint8
	if v {
		n = 1
	}
	return number(c, n) != 0
}

// list codes the length of a list and returns one that may be written to: a copy, or a
// list of zero values, each of which takes a byte or more.
func list[E any](c *coder, v []E) []E {
	n := number(c, counted(v)+1) - 1
	switch {
	case c.writing:
		v = slices.Clone(v)
	case n < 0 || c.err != nil:
		return nil
	case n > len(c.bytes):
		c.corrupt("a list of %d is longer than what is left", n)
		return nil
	}
	var item E
	if take(c, max(n, 0), item); c.err != nil || c.writing {
		return v
	}
	return make([]E, n)
}

// counted is the length of a list, -1 if it is nil.
func counted[E any](v []E) int {
	if v == nil {
		return -1
	}
	return len(v)
}
