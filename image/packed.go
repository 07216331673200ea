// SPDX-License-Identifier: Apache-2.0

package image

import (
	"bufio"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// ErrCompression is wrapped by errors about sections that are packed in an unknown way.
var ErrCompression = errors.New("compression is not understood")

// oldPrefix begins the names of sections that GNU tools compressed before ELF had a way
// to say so.
const oldPrefix = ".zdebug_"

// Compressed reports whether a section does not stand in the file as it is.
func (s *Section) Compressed() bool {
	return s.Flags&elf.SHF_COMPRESSED != 0 || strings.HasPrefix(s.Name, oldPrefix)
}

// unpack returns what is packed in a section, which must have the size that is stated
// there.
func (s *Section) unpack(most uint64) ([]byte, error) {
	if err := s.file.has(s.Offset, s.Size); err != nil {
		return nil, err
	}
	in := bufio.NewReader(io.NewSectionReader(s, 0, int64(s.FileSize)))
	method, size, err := s.packing(in)
	switch {
	case err != nil:
	case size > most:
		err = fmt.Errorf("%d bytes: %w", size, ErrTooLarge)
	case size/maxRatio[method] > s.FileSize: // do not allocate what cannot come
		err = fmt.Errorf("%d bytes from %d: %w", size, s.FileSize, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	out, err := unpacker(method, in, size)
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	defer out.Close()
	data := make([]byte, size)
	if _, err := io.ReadFull(out, data); err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	return data, nil
}

// maxRatio is how much a byte can stand for at the most: in a deflate stream, two
// matches of 258; in a zstd one, a quarter of a block of 128 KiB that is one byte
// repeated.
var maxRatio = map[elf.CompressionType]uint64{
	elf.COMPRESS_ZLIB: 1032,
	elf.COMPRESS_ZSTD: 128 << 10 / 4,
}

// packing reads what is before packed bytes: how they are packed, and their size
// unpacked.
func (s *Section) packing(in io.Reader) (elf.CompressionType, uint64, error) {
	var method elf.CompressionType
	var size uint64
	var err error
	switch {
	case s.Flags&elf.SHF_COMPRESSED == 0:
		var h struct {
			Magic [4]byte
			Size  uint64
		}
		err = binary.Read(in, binary.BigEndian, &h)
		if method, size = elf.COMPRESS_ZLIB, h.Size; string(h.Magic[:]) != "ZLIB" {
			method = 0
		}
	case s.file.Class == elf.ELFCLASS64:
		var h elf.Chdr64
		err = binary.Read(in, s.file.ByteOrder, &h)
		method, size = elf.CompressionType(h.Type), h.Size
	default:
		var h elf.Chdr32
		err = binary.Read(in, s.file.ByteOrder, &h)
		method, size = elf.CompressionType(h.Type), uint64(h.Size)
	}
	if err == nil && maxRatio[method] == 0 {
		err = ErrCompression
	}
	return method, size, err
}

// unpacker unpacks what has the given size.
func unpacker(method elf.CompressionType, packed io.Reader, size uint64) (io.ReadCloser, error) {
	if method == elf.COMPRESS_ZLIB {
		return zlib.NewReader(packed)
	}
	const window = 8 << 20 // what the highest usual level looks back
	d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(max(size, window)))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
