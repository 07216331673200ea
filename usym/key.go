// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"os"
	"syscall"
)

// fileKey names a table in the cache: one state of one file, for an inode is used
// again and a build overwrites, or what stands in the place of a file.
type fileKey struct {
	device, inode uint64
	size          int64
	changed       syscall.Timespec

	buildID string // of a file that cannot be opened
	content string // hash of an image in memory
	jit     int    // the pid whose JIT compiler made the code
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
