// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"os"
	"syscall"

	"github.com/os2026/ebpf-rca/image"
)

// maxFiles bounds the cache. A process keeps the tables that it uses besides.
const maxFiles = 1024

// files are the symbols of files, shared by all processes that map them. A file
// without symbols is kept as nil.
type files map[fileKey]*table

// fileKey is one state of one file: an inode is used again, and a build overwrites.
type fileKey struct {
	device, inode uint64
	size          int64
	changed       syscall.Timespec
}

// load returns the symbols of the file that m of pid shows, nil if it cannot be
// opened or has none.
func (c files) load(pid int, m image.Mapping) *table {
	f, err := image.Open(pid, m)
	if err != nil {
		return nil
	}
	defer f.Close()
	key, ok := keyOf(f)
	if !ok {
		return nil
	}
	t, ok := c[key]
	if !ok {
		t, _ = readTable(f, key.size) // what cannot be read names nothing
		if len(c) >= maxFiles {
			clear(c)
		}
		c[key] = t
	}
	return t
}

func keyOf(f *os.File) (fileKey, bool) {
	info, err := f.Stat()
	if err != nil {
		return fileKey{}, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileKey{}, false
	}
	return fileKey{device: uint64(stat.Dev), inode: stat.Ino, size: stat.Size, changed: stat.Ctim}, true
}
