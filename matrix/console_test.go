// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestComplaints(t *testing.T) {
	for name, log := range map[string]string{
		"panic":    "[    1.0] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100",
		"oops":     "[    1.0] Oops: general protection fault, probably for non-canonical address: 0000 [#1] SMP",
		"old warn": "[    1.0] WARNING: CPU: 0 PID: 1 at kernel/bpf/verifier.c:123 do_check+0x1/0x2",
		"new warn": "[    1.0] WARNING: kernel/sched/core.c:4567 at wake_up+0x1/0x2, CPU#0: w0/12",
		"lockdep":  "WARNING: possible recursive locking detected",
		"stall":    "rcu: INFO: rcu_preempt self-detected stall on CPU",
		"stalls":   "rcu: INFO: rcu_sched detected stalls on CPUs/tasks:",
		"lockup":   "watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [w0:12]",
		"hung":     "INFO: task w0:12 blocked for more than 120 seconds.",
		"verifier": "verifier bug: REG INVARIANTS VIOLATION",
		"memory":   "Out of memory: Killed process 12 (ebpf-rca)",
	} {
		lines, err := Complaints(strings.NewReader("[    0.0] Linux version 6.1\n" + log + "\r\n"))
		require.NoError(t, err)
		assert.Equal(t, []string{log}, lines, name)
	}
	quiet := `[    0.0] Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on, data leaks possible via Spectre v2 BHB attacks!
[    0.0] tsc: Unable to calibrate against PIT
[    1.1] acpi PNP0A03:00: fail to add MMCONFIG information
[   47.0] hrtimer: interrupt took 4310865 ns
Call Trace:
`
	lines, err := Complaints(strings.NewReader(quiet))
	require.NoError(t, err)
	assert.Empty(t, lines)
}

func TestComplaintsQuoteWhereItWas(t *testing.T) {
	lines, err := Complaints(strings.NewReader(`BUG: kernel NULL pointer dereference
RIP: 0010:f+0x1/0x2
Call Trace:
 a
 b
 c
 d
 e
 f
` + strings.Repeat("BUG: again\n", 50)))
	require.NoError(t, err)
	assert.Equal(t, []string{"BUG: kernel NULL pointer dereference", "a", "b", "c", "d", "e"}, lines[:6])
	assert.Len(t, lines, maxQuoted)
}

func TestConsoleIsMadePrintable(t *testing.T) {
	lines, err := Complaints(strings.NewReader("\x1b[1mKernel panic\x00\xff\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{"[1mKernel panic"}, lines)
}

func TestLastWordsAreNotTheKernels(t *testing.T) {
	assert.Equal(t, "it said nothing", lastWords("[    0.929758] mtrr: your CPUs\r\n\r\n"))
	assert.Equal(t, "ebpf-rca: no", lastWords("first\r\nebpf-rca: no\r\n[   12.1] reboot: Restarting system\r\n"))
}
