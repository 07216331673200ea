// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/results"
)

// port is the second serial port, on whose other end the host listens.
const port = "/dev/ttyS1"

// Link tells the host things. It is a sink for what runs leave.
type Link struct {
	file   *os.File
	mu     sync.Mutex
	sender *matrix.Sender
}

// OpenLink opens the port, which is to pass bytes as they are.
func OpenLink() (*Link, error) {
	file, err := os.OpenFile(port, os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, fmt.Errorf("open the link to the host: %w", err)
	}
	sender, err := matrix.NewSender(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if err := setRaw(int(file.Fd())); err != nil {
		return nil, errors.Join(fmt.Errorf("open the link to the host: %w", err), file.Close())
	}
	return &Link{file: file, sender: sender}, nil
}

// setRaw has a terminal change nothing of what passes it.
func setRaw(fd int) error {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	t.Iflag, t.Oflag, t.Lflag = 0, 0, 0
	t.Cflag = t.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	return unix.IoctlSetTermios(fd, unix.TCSETS, t)
}

// Send tells one thing, and returns when it has left the machine: what comes next may be
// this kernel's end.
func (l *Link) Send(m matrix.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.sender.Send(m); err != nil {
		return err
	}
	if err := drain(int(l.file.Fd())); err != nil {
		return fmt.Errorf("send message: %w", err)
	}
	return nil
}

// drain waits until what was written to a terminal has left it.
func drain(fd int) error {
	for {
		if err := unix.IoctlSetInt(fd, unix.TCSBRK, 1); err != unix.EINTR {
			return err
		}
	}
}

// Append tells a record.
func (l *Link) Append(r results.Record) error { return l.Send(matrix.Message{Record: &r}) }

// PutFile tells a file.
func (l *Link) PutFile(name string, data []byte) error {
	return l.Send(matrix.Message{File: &matrix.File{Name: name, Data: data}})
}

// Close gives the port back. It may be called twice.
func (l *Link) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file = nil
	if err := file.Close(); err != nil {
		return fmt.Errorf("close the link to the host: %w", err)
	}
	return nil
}
