// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"
)

// ring is a ring buffer of the kernel's, and the bell that the kernel rings for who reads
// it. To wait for that takes no thread: the runtime looks after a thread that waits in a
// system call, a thousand times a second.
type ring struct {
	reader *ringbuf.Reader
	record ringbuf.Record
	bell   *os.File
	conn   syscall.RawConn
}

func openRing(m *ebpf.Map) (_ *ring, err error) {
	r := &ring{}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open the ring buffer %v: %w", m, err), r.close())
		}
	}()
	if r.reader, err = ringbuf.NewReader(m); err != nil {
		return nil, err
	}
	r.reader.SetDeadline(time.Now()) // it is not the reader that waits
	fd, err := unix.FcntlInt(uintptr(m.FD()), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil { // before, for the runtime to take it
		return nil, errors.Join(err, unix.Close(fd))
	}
	r.bell = os.NewFile(uintptr(fd), m.String())
	if r.conn, err = r.bell.SyscallConn(); err != nil {
		return nil, err
	}
	return r, r.bell.SetReadDeadline(time.Time{}) // which fails if it has not
}

// next returns what was written next, nil if there is nothing now. It is good until the
// next call.
func (r *ring) next() ([]byte, error) {
	if !r.filled() {
		return nil, nil
	}
	err := r.reader.ReadInto(&r.record)
	switch {
	case err == nil:
		return r.record.RawSample, nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, nil
	default:
		return nil, fmt.Errorf("read the ring buffer: %w", err)
	}
}

// filled reports whether there is something to read. It may be asked at any time.
func (r *ring) filled() bool { return r.reader.AvailableBytes() > 0 }

// await returns when something has happened, at the latest after a time. It reports false
// once the ring is stopped.
func (r *ring) await(happened func() bool, atMost time.Duration) bool {
	if r.bell.SetReadDeadline(time.Now().Add(atMost)) != nil {
		return false
	}
	err := r.conn.Read(func(uintptr) bool { return happened() })
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}

// pause does so when the kernel rings, however much there is to read before.
func (r *ring) pause(happened func() bool, atMost time.Duration) bool {
	rung := false
	return r.await(func() bool {
		before := rung
		rung = true // if this is asked again
		return before || happened()
	}, atMost)
}

// wake has who waits ask what has happened.
func (r *ring) wake() { _ = r.bell.SetReadDeadline(time.Now()) }

// stop has nobody wait any more.
func (r *ring) stop() error { return r.bell.Close() }

// close stops the ring and lets go of it. Nobody may read it meanwhile.
func (r *ring) close() error {
	var err error
	if r.bell != nil {
		if err = r.bell.Close(); errors.Is(err, os.ErrClosed) { // it was stopped
			err = nil
		}
	}
	if r.reader != nil {
		err = errors.Join(err, r.reader.Close())
	}
	return err
}
