// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// stormBudget is a small part of the waits that there are in testdata/storm.c.
const stormBudget = 1000

func startStorm(t *testing.T) *target {
	t.Helper()
	needBPF(t)
	return startCommand(t, exec.Command(compile(t, "storm")))
}

// awaitShedding looks until a window is told in part from its beginning on.
func awaitShedding(t *testing.T, w *watched) {
	t.Helper()
	poll(t, "window in which waits are left out", func() bool {
		time.Sleep(2 * bpf.ShedPeriod)
		trace := w.look()
		return trace.Told() < trace.Window.Length()/2
	})
}

// What is left out is counted: with what is told it is as often as the kernel has counted
// that threads went to sleep.
func TestStormIsCounted(t *testing.T) {
	p := startStorm(t)
	w := observe(t, p.pid, Options{Budget: stormBudget})
	awaitShedding(t, w)
	before := sleeps(t, p.pid)
	w.look()
	after := sleeps(t, p.pid)
	var most, least int
	var trace *contention.Trace
	poll(t, "many sleeps", func() bool {
		most = sleeps(t, p.pid)
		return most-after > 10_000
	})
	trace = w.look()
	least, most = most-after, sleeps(t, p.pid)-before

	assert.Zero(t, trace.Loss.Events())
	assert.Greater(t, trace.Shed.Waits, uint64(least/2))
	threads := len(p.said) + 1 // each may be asleep where a window begins or ends
	assert.GreaterOrEqual(t, int(trace.Shed.Waits)+len(trace.Waits), least-threads)
	assert.LessOrEqual(t, int(trace.Shed.Waits)+len(trace.Waits), most+threads)
	inVain := 0
	for _, wait := range trace.Waits {
		if wait.Ran != 0 && wait.Woken-wait.Begin < time.Millisecond && !touches(wait, trace) {
			inVain++
		}
	}
	assert.Less(t, inVain, len(trace.Waits)/10, "short waits are told while others are not only where the share of time changes")
}

// touches reports whether any of a wait was while all were told.
func touches(w contention.Wait, t *contention.Trace) bool {
	for _, s := range t.Shed.Spans {
		if s.Begin < w.Begin && w.Woken < s.End {
			return false
		}
	}
	return true
}

var voluntary = regexp.MustCompile(`(?m)^voluntary_ctxt_switches:\t(\d+)$`)

// sleeps is how often the threads of a process have gone to sleep.
func sleeps(t *testing.T, pid int) (sum int) {
	t.Helper()
	threads, err := os.ReadDir(procFile(pid, "task"))
	require.NoError(t, err)
	for _, thread := range threads {
		match := voluntary.FindSubmatch(readFile(t, fmt.Sprintf("/proc/%d/task/%s/status", pid, thread.Name())))
		require.NotNil(t, match)
		n, err := strconv.Atoi(string(match[1]))
		require.NoError(t, err)
		sum += n
	}
	return sum
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return data
}
