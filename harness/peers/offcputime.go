// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// offcputime ranks by the time off the CPU.
var offcputime = tool{
	name:     "offcputime",
	programs: libbpfNames("offcputime"),
	start:    startLibbpf,
	parse:    parseOffcputime,
}

// offcpuThread is the line below a stack, which says whose it is; the next gives the time.
var offcpuThread = regexp.MustCompile(`^ {4}- {2,}(.+) \((\d+)\)$`)

// parseOffcputime reads stacks, one frame a line, each followed by a thread and
// microseconds.
func parseOffcputime(r io.Reader, t target) ([]suspect, error) {
	var all suspects
	var stack contention.Stack
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		key := offcpuThread.FindStringSubmatch(lines.Text())
		if key == nil {
			if frame, ok := frameOf(lines.Text()); ok {
				stack = append(stack, frame)
			}
			continue
		}
		tid, err := strconv.Atoi(key[2])
		if err != nil {
			return nil, fmt.Errorf("thread: %w", err)
		}
		if !lines.Scan() {
			return nil, fmt.Errorf("time of thread %d: %w", tid, io.ErrUnexpectedEOF)
		}
		us, err := microseconds(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("time of thread %d: %w", tid, err)
		}
		if thread, ours := t.thread(tid, key[1]); ours {
			all.add(thread, us, contention.HoldingOffCPU, stack)
		}
		stack = nil
	}
	return all.list, lines.Err()
}

// mostMicroseconds are 292 years, all that a duration holds.
const mostMicroseconds = uint64(1<<63-1) / uint64(time.Microsecond)

func microseconds(text string) (time.Duration, error) {
	us, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0, err
	}
	if us > mostMicroseconds {
		return 0, fmt.Errorf("%d µs are out of range", us)
	}
	return time.Duration(us) * time.Microsecond, nil
}
