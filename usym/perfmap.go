// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Bounds of a map, beyond which the rest of it is not read.
const (
	maxPerfMap     = 32 << 20 // bytes
	maxPerfEntries = 1 << 19
)

// perfMap is the names that a JIT compiler gave to its code.
type perfMap struct {
	pieces []piece // by start, none overlaps another
	names  string  // each ends with a newline
}

// piece is memory that has one name.
type piece struct {
	start, end uint64
	name       uint32 // offset in the names
}

// readPerfMap reads lines of "START SIZE NAME", in hexadecimal. Memory is used again,
// so a later line stands where it overlaps an earlier one. Other lines are left out,
// as is the last one if it is not ended: it is being written.
func readPerfMap(r io.Reader) (*perfMap, error) {
	lines := bufio.NewReaderSize(io.LimitReader(r, maxPerfMap), 64<<10)
	var entries []piece
	var text strings.Builder
	for len(entries) < maxPerfEntries {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue // what follows is no line either, but for its end
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read perf map: %w", err)
		}
		entry, name, ok := parsePerfLine(line)
		if !ok {
			continue
		}
		entry.name = uint32(text.Len())
		entries = append(entries, entry)
		text.Write(name)
		text.WriteByte('\n')
	}
	return &perfMap{pieces: flatten(entries), names: text.String()}, nil
}

func parsePerfLine(line []byte) (entry piece, name []byte, ok bool) {
	start, rest, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(" "))
	size, name, _ := bytes.Cut(rest, []byte(" "))
	from, err := parseHex(start)
	if err != nil {
		return piece{}, nil, false
	}
	length, err := parseHex(size)
	if err != nil || length == 0 || from+length < from || len(name) == 0 {
		return piece{}, nil, false
	}
	return piece{start: from, end: from + length}, name[:min(len(name), maxName)], true
}

func parseHex(text []byte) (uint64, error) {
	return strconv.ParseUint(string(bytes.TrimPrefix(text, []byte("0x"))), 16, 64)
}

// find returns the name of the code at address, "" if it has none.
func (m *perfMap) find(address uint64) string {
	i, exact := slices.BinarySearchFunc(m.pieces, address, func(p piece, a uint64) int {
		return cmp.Compare(p.start, a)
	})
	if !exact {
		i--
	}
	if i < 0 || address >= m.pieces[i].end {
		return ""
	}
	name, _, _ := strings.Cut(m.names[m.pieces[i].name:], "\n")
	return strings.Clone(name)
}

func (m *perfMap) bytes() int64 {
	return moduleCost + int64(cap(m.pieces))*int64(unsafe.Sizeof(piece{})) + int64(len(m.names))
}

func (m *perfMap) close() {}

// flatten cuts entries, which are in the order of their lines, into pieces that do not
// overlap.
func flatten(entries []piece) []piece {
	order := make([]int32, len(entries))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(entries[a].start, entries[b].start)
	})
	var pieces []piece
	var open latest // those that began at or before position
	for position := uint64(0); len(order) > 0 || len(open) > 0; {
		if len(open) == 0 {
			position = entries[order[0]].start
		}
		for len(order) > 0 && entries[order[0]].start <= position {
			heap.Push(&open, order[0])
			order = order[1:]
		}
		top := entries[open[0]]
		if top.end <= position {
			heap.Pop(&open)
			continue
		}
		next := top.end
		if len(order) > 0 {
			next = min(next, entries[order[0]].start)
		}
		pieces = appendPiece(pieces, piece{start: position, end: next, name: top.name})
		position = next
	}
	return slices.Clip(pieces)
}

// appendPiece joins a piece to the last one if that has the same name.
func appendPiece(pieces []piece, p piece) []piece {
	if last := len(pieces) - 1; last >= 0 && pieces[last].end == p.start && pieces[last].name == p.name {
		pieces[last].end = p.end
		return pieces
	}
	return append(pieces, p)
}

// latest is a heap of numbers, the highest on top.
type latest []int32

func (l latest) Len() int           { return len(l) }
func (l latest) Less(i, j int) bool { return l[i] > l[j] }
func (l latest) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

// Push implements heap.Interface.
func (l *latest) Push(x any) { *l = append(*l, x.(int32)) }

// Pop implements heap.Interface.
func (l *latest) Pop() any {
	last := len(*l) - 1
	x := (*l)[last]
	*l = (*l)[:last]
	return x
}
