// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"debug/elf"
	"fmt"

	"github.com/os2026/ebpf-rca/image"
)

// readEHFrame finds .eh_frame by its section or, where sections are stripped or lie, by
// the segment that the run-time unwinder goes by.
func readEHFrame(f *elfFile) (source, error) {
	data, b, untilEmpty, err := f.ehFrame()
	if err != nil {
		return nil, fmt.Errorf("reading .eh_frame: %w", err)
	}
	frames, err := newFrames(data, b, false, untilEmpty)
	if err != nil {
		return nil, fmt.Errorf("indexing .eh_frame: %w", err)
	}
	return frames, nil
}

func (f *elfFile) ehFrame() (data []byte, b bases, untilEmpty bool, err error) {
	if s := f.Section(".eh_frame"); s != nil {
		if data, err = s.Bytes(maxFrameBytes); err == nil {
			return data, bases{section: s.Addr, data: f.dataBase()}, false, nil
		}
	}
	data, b, err = f.ehFrameByHeader()
	return data, b, true, err
}

// dataBase is what pointers relative to data are relative to: the global offset table.
func (f *elfFile) dataBase() uint64 {
	for _, name := range []string{".got.plt", ".got"} {
		if s := f.Section(name); s != nil {
			return s.Addr
		}
	}
	return 0
}

const ehFrameHeaderVersion = 1

// ehFrameByHeader reads from where .eh_frame_hdr points to as far as its segment goes.
func (f *elfFile) ehFrameByHeader() ([]byte, bases, error) {
	p := f.segment(elf.PT_GNU_EH_FRAME, 0)
	if p == nil {
		return nil, bases{}, ErrNoRules
	}
	const most = 4 + wordSize // version, three encodings, the pointer
	header, err := f.read(p.Off, min(p.Filesz, most))
	if err != nil {
		return nil, bases{}, err
	}
	c := cursor{data: header}
	version, encoding := c.u8(), c.u8()
	c.next(2)
	address := c.pointer(encoding, bases{section: p.Vaddr, data: p.Vaddr})
	offset, rest, ok := image.FileOffset(f.Progs, address)
	if c.bad || version != ehFrameHeaderVersion || !ok {
		return nil, bases{}, fmt.Errorf(".eh_frame_hdr: %w", ErrNoRules)
	}
	data, err := f.read(offset, min(rest, maxFrameBytes))
	return data, bases{section: address}, err
}

// readDebugFrame reads .debug_frame, which some compilers write instead of .eh_frame
// or beside it.
func readDebugFrame(f *elfFile) (source, error) {
	data, err := f.debugFrame()
	if err != nil {
		return nil, fmt.Errorf("reading .debug_frame: %w", err)
	}
	frames, err := newFrames(data, bases{}, true, false)
	if err != nil {
		return nil, fmt.Errorf("indexing .debug_frame: %w", err)
	}
	return frames, nil
}

func (f *elfFile) debugFrame() ([]byte, error) {
	for _, name := range []string{".debug_frame", ".zdebug_frame"} {
		if s := f.Section(name); s != nil {
			return s.Bytes(maxFrameBytes)
		}
	}
	return nil, ErrNoRules
}
