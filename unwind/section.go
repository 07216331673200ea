// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
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
	if s, ok := f.section(".eh_frame"); ok {
		if data, err = f.read(s.Off, s.Size); err == nil {
			return data, bases{section: s.Addr, data: f.dataBase()}, false, nil
		}
	}
	data, b, err = f.ehFrameByHeader()
	return data, b, true, err
}

// dataBase is what pointers relative to data are relative to: the global offset table.
func (f *elfFile) dataBase() uint64 {
	for _, name := range []string{".got.plt", ".got"} {
		if s, ok := f.section(name); ok {
			return s.Addr
		}
	}
	return 0
}

const ehFrameHeaderVersion = 1

// ehFrameByHeader reads from where .eh_frame_hdr points to as far as its segment goes.
func (f *elfFile) ehFrameByHeader() ([]byte, bases, error) {
	p, ok := f.segment(elf.PT_GNU_EH_FRAME, 0)
	if !ok {
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
	offset, rest, ok := f.locate(address)
	if c.bad || version != ehFrameHeaderVersion || !ok {
		return nil, bases{}, fmt.Errorf(".eh_frame_hdr: %w", ErrNoRules)
	}
	data, err := f.read(offset, min(rest, maxSection))
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
	if s, ok := f.section(".debug_frame"); ok {
		data, err := f.read(s.Off, s.Size)
		if err != nil || elf.SectionFlag(s.Flags)&elf.SHF_COMPRESSED == 0 {
			return data, err
		}
		return decompress(data)
	}
	if s, ok := f.section(".zdebug_frame"); ok {
		data, err := f.read(s.Off, s.Size)
		if err != nil {
			return nil, err
		}
		return decompressOld(data)
	}
	return nil, ErrNoRules
}

var errCompression = errors.New("compression is not understood")

// decompress unpacks a section that begins with an Elf64_Chdr.
func decompress(data []byte) ([]byte, error) {
	c := cursor{data: data}
	kind := elf.CompressionType(c.u32())
	c.u32()
	size := c.u64()
	c.u64() // alignment
	if c.bad {
		return nil, errCompression
	}
	return inflate(kind, data[c.at:], size)
}

// decompressOld unpacks a section as GNU tools wrote it before ELF had compression:
// "ZLIB" and the size, big-endian.
func decompressOld(data []byte) ([]byte, error) {
	const magic = "ZLIB"
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < 8 {
		return nil, errCompression
	}
	return inflate(elf.COMPRESS_ZLIB, rest[8:], binary.BigEndian.Uint64(rest))
}

// inflate unpacks size bytes.
func inflate(kind elf.CompressionType, packed []byte, size uint64) ([]byte, error) {
	if size > maxSection {
		return nil, fmt.Errorf("%d bytes unpacked: %w", size, errTooLarge)
	}
	r, err := unpacker(kind, bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil {
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	return data, nil
}

func unpacker(kind elf.CompressionType, packed io.Reader) (io.ReadCloser, error) {
	switch kind {
	case elf.COMPRESS_ZLIB:
		return zlib.NewReader(packed)
	case elf.COMPRESS_ZSTD:
		d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSection), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	default:
		return nil, errCompression
	}
}
