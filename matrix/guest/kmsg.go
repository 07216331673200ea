// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/matrix"
)

// KernelLog reads what the kernel logs from now on.
type KernelLog struct {
	fd int
}

// OpenKernelLog begins behind what is logged already.
func OpenKernelLog() (*KernelLog, error) {
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the kernel's log: %w", err)
	}
	if _, err := unix.Seek(fd, 0, unix.SEEK_END); err != nil {
		return nil, errors.Join(fmt.Errorf("open the kernel's log: %w", err), unix.Close(fd))
	}
	return &KernelLog{fd}, nil
}

// maxEntry is more than an entry of the log can have.
const maxEntry = 8192

// Check returns an error that quotes what the kernel has complained of since it was last
// asked, or nil.
func (l *KernelLog) Check() error {
	var log strings.Builder
	entry := make([]byte, maxEntry)
	for {
		n, err := unix.Read(l.fd, entry)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EPIPE): // entries were overwritten before they were read
			continue
		case errors.Is(err, unix.EAGAIN) || n == 0:
			return complaints(log.String())
		case err != nil:
			return fmt.Errorf("read the kernel's log: %w", err)
		}
		log.WriteString(entryText(string(entry[:n])))
	}
}

// entryText is what stands in an entry, "level,number,time,flags;text", less the lines of
// facts about devices that may follow.
func entryText(entry string) string {
	_, text, _ := strings.Cut(entry, ";")
	text, _, _ = strings.Cut(text, "\n")
	return text + "\n"
}

func complaints(log string) error {
	lines, err := matrix.Complaints(strings.NewReader(log))
	if err != nil || len(lines) == 0 {
		return err
	}
	return fmt.Errorf("the kernel complained: %s", strings.Join(lines, " | "))
}

// Close ends the reading.
func (l *KernelLog) Close() error { return unix.Close(l.fd) }
