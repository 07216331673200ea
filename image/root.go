// SPDX-License-Identifier: Apache-2.0

package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"
)

// OpenInRoot opens the regular file at an absolute path as process pid would: in its
// root directory and its mount namespace, from which no symbolic link leads out. Flags
// are added to O_RDONLY: O_NOFOLLOW, say. It never waits, as for the other end of a
// FIFO.
func OpenInRoot(pid int, name string, flags int) (*os.File, error) {
	root := fmt.Sprintf("/proc/%d/root", pid)
	flags |= syscall.O_RDONLY | syscall.O_NONBLOCK | syscall.O_CLOEXEC
	f, err := openBelow(root, name, flags)
	if errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM) {
		// openat2 came with 5.6, and old seccomp filters refuse what they do not know.
		f, err = os.OpenFile(path.Join(root, path.Clean("/"+name)), flags, 0)
	}
	if err != nil {
		return nil, err
	}
	return onlyRegular(f)
}

func openBelow(root, name string, flags int) (*os.File, error) {
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: root, Err: err}
	}
	defer unix.Close(dir)
	fd, err := unix.Openat2(dir, name, &unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_IN_ROOT})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: root + name, Err: err}
	}
	return os.NewFile(uintptr(fd), root+name), nil
}
