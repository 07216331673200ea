// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// For how much of a run a guest may want a CPU of the host in vain, and how long that
// matters little in any case. The guest does not notice: to it, all its threads stand still
// at once, or one holds a lock for longer than it meant to.
const (
	maxHostDelay  = 0.10
	fairHostDelay = 50 * time.Millisecond
)

// runDelay is how long the threads of a process have wanted a CPU so far.
func runDelay(pid int) time.Duration {
	stats, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "schedstat"))
	if err != nil {
		return 0
	}
	var sum time.Duration
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err == nil {
			sum += parseRunDelay(string(text))
		}
	}
	return sum
}

// parseRunDelay takes the second of the three numbers of a schedstat: the time spent
// waiting on a run queue, in nanoseconds (Documentation/scheduler/sched-stats.rst).
func parseRunDelay(schedstat string) time.Duration {
	fields := strings.Fields(schedstat)
	if len(fields) < 3 {
		return 0
	}
	ns, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(ns)
}

// attention measures how long the host keeps a guest from a CPU while it plays a run.
type attention struct {
	pid   int
	index int // of the run being played
	began time.Time
	delay time.Duration // when it began
}

func (a *attention) begin(index int) {
	a.index, a.began, a.delay = index, time.Now(), runDelay(a.pid)
}

// end says why the run being played does not count, empty if it does or there is none.
func (a *attention) end() string {
	if a.began.IsZero() {
		return ""
	}
	took, lacked := time.Since(a.began), runDelay(a.pid)-a.delay
	a.began = time.Time{}
	return neglect(took, lacked)
}

func neglect(took, lacked time.Duration) string {
	if lacked <= fairHostDelay || float64(lacked) <= maxHostDelay*float64(took) {
		return ""
	}
	return fmt.Sprintf("the host kept the guest from a CPU for %v of %v", lacked.Round(time.Millisecond), took.Round(time.Millisecond))
}
