// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/os2026/ebpf-rca/image"
)

// What is larger than this is not kept.
const (
	maxSection = 64 << 20 // bytes
	// maxFrameBytes is of .eh_frame and .debug_frame. That of libLLVM has 6 MiB.
	maxFrameBytes = 32 << 20
	maxFDEs       = 1 << 20
)

// frames are the entries of an .eh_frame or .debug_frame section.
type frames struct {
	data  []byte
	bases bases
	debug bool // .debug_frame
	fdes  []fde
}

// fde says where a frame description entry lies and which code it is of.
type fde struct {
	start  uint64 // link-time address
	length uint32 // bytes of code, not 0
	offset uint32 // in the section
}

const fdeBytes = 16

func (d fde) covers(pc uint64) bool { return pc-d.start < uint64(d.length) }

// entry is the outside of a CIE or FDE. Numbers are offsets in the section.
type entry struct {
	isCIE     bool
	cie       uint64 // of an FDE: where its CIE is
	body, end uint64
}

const (
	extendedLength = 0xffffffff
	debugCIE       = 0xffffffff
	debugCIE64     = 0xffffffffffffffff
)

// entryAt reads the entry at an offset. An empty one, which ends a list of entries,
// has neither CIE nor body.
func (f *frames) entryAt(offset uint64) (entry, bool) {
	c := cursorAt(f.data, offset, uint64(len(f.data)))
	length, wide := uint64(c.u32()), false
	if length == extendedLength {
		length, wide = c.u64(), true
	}
	if c.bad || length > uint64(len(f.data)-c.at) {
		return entry{}, false
	}
	e := entry{end: uint64(c.at) + length}
	if length == 0 {
		e.body = e.end
		return e, true
	}
	idAt := uint64(c.at)
	c.data = f.data[:e.end]
	switch {
	case !f.debug: // the distance back to the CIE, of 4 bytes always
		id := uint64(c.u32())
		e.isCIE, e.cie = id == 0, idAt-id
	case wide:
		e.cie = c.u64()
		e.isCIE = e.cie == debugCIE64
	default:
		e.cie = uint64(c.u32())
		e.isCIE = e.cie == debugCIE
	}
	e.body = uint64(c.at)
	return e, !c.bad
}

// newFrames indexes a section. Where untilEmpty is set the section ends at the first
// empty entry; else such entries, which linkers leave in the middle, are skipped. What
// follows a malformed entry is left out.
func newFrames(data []byte, b bases, debug, untilEmpty bool) (*frames, error) {
	if len(data) > maxFrameBytes {
		return nil, fmt.Errorf("section of %d bytes: %w", len(data), image.ErrTooLarge)
	}
	f := &frames{data: data, bases: b, debug: debug}
	end, err := f.index(untilEmpty)
	if err != nil {
		return nil, err
	}
	if untilEmpty {
		f.data = slices.Clone(data[:end])
	}
	if len(f.fdes) == 0 {
		return nil, ErrNoRules
	}
	f.fdes = slices.Clone(f.fdes) // without the room to grow
	slices.SortStableFunc(f.fdes, func(a, b fde) int { return cmp.Compare(a.start, b.start) })
	return f, nil
}

// index walks the section once and returns where it stopped.
func (f *frames) index(untilEmpty bool) (end uint64, err error) {
	cies := newCIECache(f)
	for end < uint64(len(f.data)) {
		e, ok := f.entryAt(end)
		if !ok || untilEmpty && e.body == e.end && !e.isCIE {
			return end, nil
		}
		if !e.isCIE && e.body < e.end {
			if d, ok := f.parseFDE(e, end, cies); ok {
				if len(f.fdes) == maxFDEs {
					return end, fmt.Errorf("more than %d entries: %w", maxFDEs, image.ErrTooLarge)
				}
				f.fdes = append(f.fdes, d)
			}
		}
		end = e.end
	}
	return end, nil
}

// parseFDE reads what an FDE is of; false where it is of nothing or not understood.
func (f *frames) parseFDE(e entry, offset uint64, cies *cieCache) (fde, bool) {
	common, ok := cies.at(e.cie)
	if !ok {
		return fde{}, false
	}
	c := cursorAt(f.data, e.body, e.end)
	d := fde{start: c.pointer(common.pointers, f.bases), offset: uint32(offset)}
	length := c.plainPointer(common.pointers)
	if c.bad || length == 0 || length > math.MaxUint32 || d.start+length < d.start {
		return fde{}, false
	}
	d.length = uint32(length)
	return d, true
}

// find returns the FDE of the code at pc.
func (f *frames) find(pc uint64) (fde, bool) {
	i := sort.Search(len(f.fdes), func(i int) bool { return f.fdes[i].start > pc })
	if i == 0 || !f.fdes[i-1].covers(pc) {
		return fde{}, false
	}
	return f.fdes[i-1], true
}

func (f *frames) bytes() int { return cap(f.data) + cap(f.fdes)*fdeBytes }

// cieCache keeps the CIEs met last, for most FDEs share a few.
type cieCache struct {
	frames *frames
	parsed map[uint64]cie
}

const cachedCIEs = 64

func newCIECache(f *frames) *cieCache {
	return &cieCache{frames: f, parsed: make(map[uint64]cie, cachedCIEs)}
}

func (c *cieCache) at(offset uint64) (cie, bool) {
	if e, ok := c.parsed[offset]; ok {
		return e, true
	}
	e, ok := c.frames.parseCIE(offset)
	if ok {
		if len(c.parsed) == cachedCIEs {
			clear(c.parsed)
		}
		c.parsed[offset] = e
	}
	return e, ok
}
