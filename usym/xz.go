// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"

	"github.com/os2026/ebpf-rca/image"
)

// maxExpanded is what an .xz file may expand to. A dictionary larger than that is of
// no use, so expanding takes at most twice as much memory.
const maxExpanded = 64 << 20

var (
	errNotXZ = errors.New("not an .xz file")
	crc64xz  = crc64.MakeTable(crc64.ECMA)
)

// The sizes of the parts of an .xz file: its header and its footer, which is before
// the end. Between them are blocks, and an index that says how long each is.
const (
	xzHeader = 12
	xzFooter = 12
)

// expand returns what an .xz file contains. The container is read here, and not by the
// library that expands its blocks, because that gives each block as large a dictionary
// as it claims to need, up to 4 GiB.
func expand(data []byte) ([]byte, error) {
	if len(data) < xzHeader+xzFooter || string(data[:6]) != "\xfd7zXZ\x00" || string(data[len(data)-2:]) != "YZ" {
		return nil, errNotXZ
	}
	blocks, err := readIndex(data)
	if err != nil {
		return nil, err
	}
	var total uint64
	for _, b := range blocks {
		if total += b.expanded; b.expanded > maxExpanded || total > maxExpanded {
			return nil, fmt.Errorf("expands to more than %d bytes: %w", maxExpanded, image.ErrTooLarge)
		}
	}
	check := data[7] & 0xf
	var out bytes.Buffer
	out.Grow(int(total) + 2*bytes.MinRead) // room enough not to grow again
	for _, b := range blocks {
		if err := b.expand(data, check, &out); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// block is a part of an .xz file that is compressed for itself.
type block struct {
	offset   uint64
	unpadded uint64 // bytes in the file, less those that fill the data up to a multiple of 4
	expanded uint64
}

func filled(size uint64) uint64 { return (size + 3) &^ 3 }

// readIndex returns the blocks of a file by its index.
func readIndex(data []byte) ([]block, error) {
	footer := data[len(data)-xzFooter:]
	size := (uint64(binary.LittleEndian.Uint32(footer[4:])) + 1) * 4
	room := uint64(len(data) - xzHeader - xzFooter)
	if size > room {
		return nil, errNotXZ
	}
	index := data[len(data)-xzFooter-int(size) : len(data)-xzFooter]
	in := bytes.NewReader(index[:len(index)-4]) // a checksum
	if first, err := in.ReadByte(); err != nil || first != 0 {
		return nil, errNotXZ
	}
	count, err := binary.ReadUvarint(in)
	if err != nil || count > uint64(in.Len()) {
		return nil, errNotXZ
	}
	blocks, offset := make([]block, 0, count), uint64(xzHeader)
	for range count {
		b := block{offset: offset}
		if b.unpadded, err = binary.ReadUvarint(in); err != nil || b.unpadded > room {
			return nil, errNotXZ
		}
		if b.expanded, err = binary.ReadUvarint(in); err != nil {
			return nil, errNotXZ
		}
		offset += filled(b.unpadded)
		if offset > uint64(len(data)-xzFooter)-size {
			return nil, errNotXZ
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// expand appends what b contains to out.
func (b block) expand(data []byte, check byte, out *bytes.Buffer) error {
	data = data[b.offset : b.offset+filled(b.unpadded)]
	if len(data) == 0 {
		return errNotXZ
	}
	header := (int(data[0]) + 1) * 4
	if data[0] == 0 || header > len(data) {
		return errNotXZ
	}
	dictionary, err := blockDictionary(data[:header])
	if err != nil {
		return err
	}
	config := lzma.Reader2Config{DictCap: int(max(lzma.MinDictCap, min(dictionary, b.expanded)))}
	r, err := config.NewReader2(bytes.NewReader(data[header:]))
	if err != nil {
		return fmt.Errorf("expand: %w", err)
	}
	from := out.Len()
	if n, err := io.Copy(out, io.LimitReader(r, int64(b.expanded)+1)); err != nil || uint64(n) != b.expanded {
		return fmt.Errorf("expand: %d bytes of %d: %w", n, b.expanded, errors.Join(errNotXZ, err))
	}
	// What fills up is before the checksum.
	return verify(data, out.Bytes()[from:], check)
}

// blockDictionary returns the size of the dictionary that a block needs. The block has
// LZMA2 as its only filter.
func blockDictionary(header []byte) (uint64, error) {
	flags, in := header[1], bytes.NewReader(header[2:len(header)-4])
	for _, present := range []byte{0x40, 0x80} { // sizes that the index has as well
		if flags&present != 0 {
			if _, err := binary.ReadUvarint(in); err != nil {
				return 0, errNotXZ
			}
		}
	}
	var filter [3]byte // id, size of the property, property
	if _, err := io.ReadFull(in, filter[:]); err != nil {
		return 0, errNotXZ
	}
	if flags&3 != 0 || filter[0] != 0x21 || filter[1] != 1 {
		return 0, fmt.Errorf("compressed by an unknown filter: %w", errNotXZ)
	}
	size, err := lzma.DecodeDictCap(filter[2])
	if err != nil || size < 0 {
		return 0, errNotXZ
	}
	return uint64(size), nil
}

// verify compares the checksum at the end of a block, of the kinds that are known.
func verify(data, expanded []byte, check byte) error {
	same := true
	switch {
	case check == 1 && len(data) >= 4:
		same = binary.LittleEndian.Uint32(data[len(data)-4:]) == crc32.ChecksumIEEE(expanded)
	case check == 4 && len(data) >= 8:
		same = binary.LittleEndian.Uint64(data[len(data)-8:]) == crc64.Checksum(expanded, crc64xz)
	}
	if !same {
		return fmt.Errorf("checksum: %w", errNotXZ)
	}
	return nil
}
