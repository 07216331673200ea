// SPDX-License-Identifier: Apache-2.0

package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Open opens the file that m of process pid shows. It is looked for by its path in
// the root directory of the process, and where another file has taken that path or
// none is left there, through map_files, which needs CAP_CHECKPOINT_RESTORE or
// CAP_SYS_ADMIN. Of a process that is gone it is looked for in our own root, and is the
// one that has the device and inode of m. The file is a regular one.
func Open(pid int, m Mapping) (*os.File, error) {
	if !m.IsFile() {
		return nil, fmt.Errorf("mapping %#x of process %d: %w", m.Start, pid, fs.ErrInvalid)
	}
	var byPath *os.File
	pathErr := error(fs.ErrNotExist)
	if !m.Deleted {
		byPath, pathErr = OpenInRoot(pid, m.Path, 0)
		if pathErr == nil && shows(byPath, m) {
			return byPath, nil
		}
	}
	byRange, err := openRegular(fmt.Sprintf("/proc/%d/map_files/%x-%x", pid, m.Start, m.End))
	switch {
	case err == nil:
		if byPath != nil {
			byPath.Close()
		}
		return byRange, nil
	case byPath != nil:
		// An overlay shows one device and inode in maps and another in stat.
		return byPath, nil
	case !m.Deleted && errors.Is(pathErr, fs.ErrNotExist):
		return openOwn(m, errors.Join(pathErr, err))
	default:
		return nil, errors.Join(pathErr, err)
	}
}

// openOwn opens the file of m in our own root if it is that file beyond doubt; if not,
// it returns otherwise.
func openOwn(m Mapping, otherwise error) (*os.File, error) {
	f, err := OpenInRoot(os.Getpid(), m.Path, 0)
	if err != nil {
		return nil, otherwise
	}
	if !shows(f, m) {
		f.Close()
		return nil, otherwise
	}
	return f, nil
}

// shows reports whether f is the file that m names.
func shows(f *os.File, m Mapping) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Ino == m.Inode && uint64(stat.Dev) == m.Device
}

// openRegular never waits for the other end of a FIFO that lies in the way.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return onlyRegular(f)
}

// onlyRegular returns f if it is a regular file, and else closes it.
func onlyRegular(f *os.File) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w: not a regular file", f.Name(), fs.ErrInvalid)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
