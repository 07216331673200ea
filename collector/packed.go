// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"encoding/binary"
	"time"
)

// packedWaits keeps waits in about ten bytes each. Most of a wait is as it was in many
// others: that is kept apart, and numbered. Instants are near those of the wait before.
type packedWaits struct {
	count  int
	chunks [][]byte
	last   time.Duration // when the wait added last began
}

// waitTimes is what is mostly different from one wait to the next.
type waitTimes struct {
	begin, woken, ran, occupied time.Duration
	occupant                    int32
}

const (
	// chunkBytes is how much a chunk holds: no chunk is copied as the list grows.
	chunkBytes = 64 << 10
	// maxPacked is the most that a wait takes.
	maxPacked = 6 * binary.MaxVarintLen64
)

// What there is of a packed wait, in the lowest bits of its first number.
const (
	hasWoken = 1 << iota
	hasRan
	hasOccupant

	hasBits = 3
)

func (p *packedWaits) add(kind int32, t waitTimes) {
	last := len(p.chunks) - 1
	if last < 0 || cap(p.chunks[last])-len(p.chunks[last]) < maxPacked {
		p.chunks = append(p.chunks, make([]byte, 0, chunkBytes))
		last++
	}
	p.chunks[last] = t.pack(p.chunks[last], kind, p.last)
	p.last = t.begin
	p.count++
}

func (t waitTimes) pack(to []byte, kind int32, last time.Duration) []byte {
	head := uint64(kind) << hasBits
	if t.woken != 0 {
		head |= hasWoken
	}
	if t.ran != 0 {
		head |= hasRan
	}
	if t.occupied != 0 || t.occupant != 0 {
		head |= hasOccupant
	}
	to = binary.AppendUvarint(to, head)
	to = binary.AppendVarint(to, int64(t.begin-last))
	if head&hasWoken != 0 {
		to = binary.AppendVarint(to, int64(t.woken-t.begin))
	}
	if head&hasRan != 0 {
		to = binary.AppendVarint(to, int64(t.ran-t.woken))
	}
	if head&hasOccupant != 0 {
		to = binary.AppendUvarint(to, uint64(t.occupant))
		to = binary.AppendVarint(to, int64(t.occupied))
	}
	return to
}

// each calls f with each wait, in the order in which they were added.
func (p *packedWaits) each(f func(place int, kind int32, t waitTimes)) {
	var last time.Duration
	place := 0
	for _, rest := range p.chunks {
		for len(rest) > 0 {
			var kind int32
			var t waitTimes
			kind, t, rest = unpack(rest, last)
			f(place, kind, t)
			last = t.begin
			place++
		}
	}
}

func unpack(from []byte, last time.Duration) (kind int32, t waitTimes, rest []byte) {
	number := func() uint64 {
		n, size := binary.Uvarint(from)
		from = from[size:]
		return n
	}
	duration := func() time.Duration {
		n, size := binary.Varint(from)
		from = from[size:]
		return time.Duration(n)
	}
	head := number()
	t.begin = last + duration()
	if head&hasWoken != 0 {
		t.woken = t.begin + duration()
	}
	if head&hasRan != 0 {
		t.ran = t.woken + duration()
	}
	if head&hasOccupant != 0 {
		t.occupant = int32(number())
		t.occupied = duration()
	}
	return int32(head >> hasBits), t, from
}
