// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

const (
	// maxKeptNames is the largest table of names that is kept in memory. Of a larger
	// one each name is read from the file when it is needed, and the file stays open.
	// That of libLLVM has 4 MiB, of a large static C++ program some 100.
	maxKeptNames = 8 << 20
	// maxName is how much of a name is shown.
	maxName = 4096
)

// names is a table of strings that end with a zero byte.
type names struct {
	r      io.ReaderAt
	kept   int64  // bytes of memory that r takes
	lazy   bool   // r reads the file or the image that the names are in
	suffix string // follows each name
}

// readNames returns the names that are in size bytes of r, in memory or not.
func readNames(r io.ReaderAt, size int64) (names, error) {
	if size > maxKeptNames {
		return names{r: io.NewSectionReader(r, 0, size), lazy: true}, nil
	}
	text := make([]byte, size)
	n, err := r.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return names{}, fmt.Errorf("read names: %w", err)
	}
	// Two copies: the first has as many bytes as the file claims.
	text = bytes.Clone(text[:n])
	return names{r: bytes.NewReader(text), kept: int64(len(text))}, nil
}

// at returns the name at an offset, "" if there is none.
func (n names) at(offset uint32) string { return n.read(offset, maxName) }

// read returns the name at an offset, cut off after limit bytes.
func (n names) read(offset uint32, limit int) string {
	for size := min(256, limit); ; size = min(4*size, limit) {
		buffer := make([]byte, size)
		got, err := n.r.ReadAt(buffer, int64(offset))
		if end := bytes.IndexByte(buffer[:got], 0); end >= 0 {
			got, err = end, io.EOF
		}
		if err != nil || size == limit {
			return string(buffer[:got])
		}
	}
}

// withoutVersion cuts off what follows in the tables of libraries: "name@@GLIBC_2.3".
func withoutVersion(name string) string {
	name, _, _ = strings.Cut(name, "@")
	return name
}
