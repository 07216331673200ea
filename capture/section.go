// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// maxSection bounds a section, in bytes.
const maxSection = 64 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func writeSection(w io.Writer, data []byte) error {
	if len(data) > maxSection {
		return ErrTooLarge
	}
	head := binary.AppendUvarint(nil, uint64(len(data)))
	sum := binary.LittleEndian.AppendUint32(nil, crc32.Checksum(data, castagnoli))
	for _, part := range [][]byte{head, data, sum} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// readSection reads a section into the buffer, which grows with what there is and not
// with what is claimed.
func readSection(r *bufio.Reader, into *bytes.Buffer) error {
	length, err := binary.ReadUvarint(r)
	if err != nil {
		return err
	}
	if length > maxSection {
		return fmt.Errorf("%w: a section of %d bytes", ErrCorrupt, length)
	}
	into.Reset()
	if _, err := io.CopyN(into, r, int64(length)); err != nil {
		return err
	}
	var sum [4]byte
	if _, err := io.ReadFull(r, sum[:]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(sum[:]) != crc32.Checksum(into.Bytes(), castagnoli) {
		return fmt.Errorf("%w: a checksum is wrong", ErrCorrupt)
	}
	return nil
}
