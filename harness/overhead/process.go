// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// UsedBy reads what a process has used so far: its CPU time, and the most memory that it
// had at a time.
func UsedBy(pid int) (Used, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(processClock(pid), &t); err != nil {
		return Used{}, fmt.Errorf("read the CPU time of process %d: %w", pid, err)
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return Used{}, fmt.Errorf("read the memory of process %d: %w", pid, err)
	}
	rss, err := parsePeak(status)
	if err != nil {
		return Used{}, fmt.Errorf("read the memory of process %d: %w", pid, err)
	}
	return Used{CPU: time.Duration(t.Nano()), RSSBytes: rss}, nil
}

// processClock is the clock of the CPU time of all threads of a process, as
// clock_getcpuclockid(3) makes it.
func processClock(pid int) int32 {
	const perProcess = 2 // CPUCLOCK_SCHED
	return ^int32(pid)<<3 | perProcess
}

// parsePeak finds VmHWM, in kB.
func parsePeak(status []byte) (uint64, error) {
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		value, found := strings.CutPrefix(lines.Text(), "VmHWM:")
		if !found {
			continue
		}
		kB, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 54)
		if err != nil {
			return 0, err
		}
		return kB << 10, nil
	}
	return 0, errors.New("there is no VmHWM")
}

// ForgetPeak has the most memory that this process had be counted anew. It takes
// CONFIG_PROC_PAGE_MONITOR.
func ForgetPeak() error {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("count this process's memory anew: %w", err)
	}
	return nil
}
