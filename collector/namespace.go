// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"os"
	"syscall"
)

// ownNamespace returns the inode of this process's pid namespace, 0 if it is the
// machine's first one, in which the kernel's own numbers hold.
func ownNamespace() (uint32, error) {
	const first = 0xEFFFFFFC // PROC_PID_INIT_INO
	info, err := os.Stat("/proc/self/ns/pid")
	if err != nil {
		return 0, fmt.Errorf("find the pid namespace: %w", err)
	}
	inode := inodeOf(info)
	if inode == first {
		return 0, nil
	}
	return uint32(inode), nil
}

// inodeOf returns the inode number of a file that was looked at with Stat.
func inodeOf(info os.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}
