// SPDX-License-Identifier: Apache-2.0

package capture

import "github.com/os2026/ebpf-rca/contention"

// dictionary numbers values in the order in which they are first met. The zero value
// has number 0.
type dictionary[T comparable] struct {
	numbers map[T]int
	values  []T
}

func newDictionary[T comparable]() dictionary[T] {
	var zero T
	return dictionary[T]{numbers: map[T]int{zero: 0}, values: []T{zero}}
}

// number is that of a value, or which it would have if it is new.
func (d *dictionary[T]) number(v T) int {
	if n, known := d.numbers[v]; known {
		return n
	}
	return len(d.values)
}

// entry codes a value by its number, and by its parts when it is met for the first time.
func entry[T comparable](c *coder, d *dictionary[T], v T, parts func(*coder, T) T) T {
	var n int
	if c.writing {
		n = d.number(v)
	}
	n = number(c, n)
	switch {
	case c.err != nil:
		return d.values[0]
	case n >= 0 && n < len(d.values):
		return d.values[n]
	case n != len(d.values):
		c.corrupt("a value that was not met before")
		return d.values[0]
	}
	if v = parts(c, v); c.err != nil {
		return d.values[0]
	}
	take(c, 1, v)
	d.values = append(d.values, v)
	if c.writing {
		d.numbers[v] = n
	}
	return v
}

func (c *coder) text(v string) string { return entry(c, &c.texts, v, (*coder).newText) }

func (c *coder) newText(v string) string {
	n := number(c, len(v))
	take(c, max(n, 0), byte(0))
	switch {
	case c.err != nil:
		return ""
	case c.writing:
		c.bytes = append(c.bytes, v...)
		return v
	case n < 0 || n > len(c.bytes):
		c.corrupt("a text of %d bytes is longer than what is left", n)
		return ""
	}
	v, c.bytes = string(c.bytes[:n]), c.bytes[n:]
	return v
}

func (c *coder) thread(v contention.ThreadID) contention.ThreadID {
	return entry(c, &c.threads, v, func(c *coder, v contention.ThreadID) contention.ThreadID {
		return contention.ThreadID{TID: number(c, v.TID), Start: number(c, v.Start)}
	})
}

func (c *coder) resource(v contention.Resource) contention.Resource {
	return entry(c, &c.resources, v, func(c *coder, v contention.Resource) contention.Resource {
		return contention.Resource{
			Kind:    contention.Kind(c.text(string(v.Kind))),
			Address: number(c, v.Address),
			Device:  number(c, v.Device),
			Inode:   number(c, v.Inode),
			PID:     number(c, v.PID),
			TID:     number(c, v.TID),
			Side:    contention.Side(c.text(string(v.Side))),
			Symbol:  c.text(v.Symbol),
		}
	})
}

func (c *coder) frame(v contention.Frame) contention.Frame {
	return entry(c, &c.frames, v, func(c *coder, v contention.Frame) contention.Frame {
		return contention.Frame{
			Function:  c.text(v.Function),
			Module:    c.text(v.Module),
			Offset:    number(c, v.Offset),
			File:      c.text(v.File),
			Line:      number(c, v.Line),
			Inlined:   c.flag(v.Inlined),
			Address:   number(c, v.Address),
			Kernel:    c.flag(v.Kernel),
			Guessed:   c.flag(v.Guessed),
			Truncated: c.flag(v.Truncated),
		}
	})
}
