// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// bell is what the kernel rings for who reads a ring buffer. Waiting for it takes no thread:
// the runtime looks after a thread that waits in a system call, a thousand times a second.
type bell struct {
	file *os.File
	conn syscall.RawConn
}

func newBell(ring *ebpf.Map) (*bell, error) {
	fd, err := unix.FcntlInt(uintptr(ring.FD()), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("wait for a ring buffer: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil { // for the runtime's poller to take it
		return nil, errors.Join(fmt.Errorf("wait for a ring buffer: %w", err), unix.Close(fd))
	}
	b := &bell{file: os.NewFile(uintptr(fd), ring.String())}
	if b.conn, err = b.file.SyscallConn(); err != nil {
		return nil, errors.Join(fmt.Errorf("wait for a ring buffer: %w", err), b.file.Close())
	}
	return b, nil
}

// await returns when there is something, at the latest after a time. It reports false once
// the bell is closed.
func (b *bell) await(there func() bool, atMost time.Duration) bool {
	if b.file.SetReadDeadline(time.Now().Add(atMost)) != nil {
		return false
	}
	err := b.conn.Read(func(uintptr) bool { return there() })
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}

// pause returns when the bell is rung from now on or there is something else to do, at the
// latest after a time.
func (b *bell) pause(other func() bool, atMost time.Duration) bool {
	rung := false
	return b.await(func() bool {
		before := rung
		rung = true // when this is asked again
		return before || other()
	}, atMost)
}

// ring has who waits look whether there is something.
func (b *bell) ring() { _ = b.file.SetReadDeadline(time.Now()) }

func (b *bell) close() error { return b.file.Close() }
