// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"fmt"
)

// maxCompressed is the largest .gnu_debugdata that is read.
const maxCompressed = 32 << 20

// debugData adds the symbols of .gnu_debugdata: an ELF file, compressed, with those of
// the functions that .dynsym lacks.
func (b *builder) debugData(mapped object) error {
	s := mapped.Section(".gnu_debugdata")
	if !plain(s) {
		return nil
	}
	data, err := s.Bytes(maxCompressed)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	// What fills the section up is no part of the file.
	data = bytes.TrimRight(data, "\x00")
	expanded, err := expand(data)
	if err != nil {
		return err
	}
	inner, err := openObject(bytes.NewReader(expanded), int64(len(expanded)), nil)
	if err != nil {
		return err
	}
	return b.separate(mapped, inner)
}
