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

// cpuThread is in the names of the threads of QEMU that run a guest's CPUs.
const cpuThread = "CPU"

// runDelay is how long a guest's CPUs have wanted one of the host so far, by QEMU's pid.
func runDelay(pid int) time.Duration {
	threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*"))
	if err != nil {
		return 0
	}
	var sum time.Duration
	for _, thread := range threads {
		name, err := os.ReadFile(filepath.Join(thread, "comm"))
		if err != nil || !strings.Contains(string(name), cpuThread) {
			continue
		}
		if stat, err := os.ReadFile(filepath.Join(thread, "schedstat")); err == nil {
			sum += parseRunDelay(string(stat))
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
