// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

var errCompression = errors.New("unknown compression")

// compressed is a compressed section after its header.
type compressed struct {
	io.Reader
	method elf.CompressionType
	size   uint64 // inflated
}

// compressed reads the header that SHF_COMPRESSED stands for.
func (f *elfFile) compressed(r io.Reader) (*compressed, error) {
	var h elf.Chdr64
	if f.wide {
		if err := binary.Read(r, f.order, &h); err != nil {
			return nil, err
		}
	} else {
		var narrow elf.Chdr32
		if err := binary.Read(r, f.order, &narrow); err != nil {
			return nil, err
		}
		h.Type, h.Size = narrow.Type, uint64(narrow.Size)
	}
	return &compressed{r, elf.CompressionType(h.Type), h.Size}, nil
}

// oldCompressed reads the header of a section whose name starts with ".zdebug_".
func oldCompressed(r io.Reader) (*compressed, error) {
	var h struct {
		Magic [4]byte
		Size  uint64
	}
	if err := binary.Read(r, binary.BigEndian, &h); err != nil {
		return nil, err
	}
	if string(h.Magic[:]) != "ZLIB" {
		return nil, errCompression
	}
	return &compressed{r, elf.COMPRESS_ZLIB, h.Size}, nil
}

// inflate returns the section, which must have the size that its header states.
func (c *compressed) inflate() ([]byte, error) {
	r, err := c.open()
	if err != nil {
		return nil, fmt.Errorf("inflating: %w", err)
	}
	defer r.Close()
	data := make([]byte, c.size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("inflating: %w", err)
	}
	return data, nil
}

func (c *compressed) open() (io.ReadCloser, error) {
	switch c.method {
	case elf.COMPRESS_ZLIB:
		return zlib.NewReader(c)
	case elf.COMPRESS_ZSTD:
		r, err := zstd.NewReader(c, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxInflated))
		if err != nil {
			return nil, err
		}
		return r.IOReadCloser(), nil
	}
	return nil, errCompression
}
