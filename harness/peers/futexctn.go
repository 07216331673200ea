// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// futexctn ranks by the time waited for futexes: it tells who waits and for what, and not
// who has it.
var futexctn = tool{
	name:     "futexctn",
	programs: libbpfNames("futexctn"),
	tracefs:  true,
	start:    startLibbpf,
	parse:    parseFutexctn,
}

// futexWaiter begins an entry: its stack and a histogram follow.
var futexWaiter = regexp.MustCompile(`^(.+)\[(\d+)\] lock 0x[0-9a-f]+ contended (\d+) times, (\d+) avg usecs `)

// parseFutexctn reads how often each thread waited for a futex, for how many microseconds
// on average, and where.
func parseFutexctn(r io.Reader, t target) ([]suspect, error) {
	var all suspects
	var thread contention.Thread
	var waited time.Duration
	var stack contention.Stack
	ours, inStack := false, false
	keep := func() {
		if ours {
			all.add(thread, waited, contention.HoldingOffCPU, stack)
		}
		ours, inStack, stack = false, false, nil
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if key := futexWaiter.FindStringSubmatch(line); key != nil {
			keep()
			tid, err := strconv.Atoi(key[2])
			if err != nil {
				return nil, fmt.Errorf("thread: %w", err)
			}
			if waited, err = product(key[3], key[4]); err != nil {
				return nil, fmt.Errorf("time of thread %d: %w", tid, err)
			}
			thread, ours = t.thread(tid, key[1])
			inStack = true
		} else if histogram.MatchString(line) {
			inStack = false
		} else if frame, ok := frameOf(line); ok && inStack {
			stack = append(stack, frame)
		}
	}
	keep()
	return all.list, lines.Err()
}

// histogram is the head of one.
var histogram = regexp.MustCompile(`^ *usecs +: count`)

// product is the time of a number of waits with an average of microseconds.
func product(count, average string) (time.Duration, error) {
	n, err := strconv.ParseUint(count, 10, 32)
	if err != nil {
		return 0, err
	}
	us, err := microseconds(average)
	if err != nil {
		return 0, err
	}
	if n > 0 && us > math.MaxInt64/time.Duration(n) {
		return 0, fmt.Errorf("%d times %v are out of range", n, us)
	}
	return time.Duration(n) * us, nil
}
