// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

//go:embed offcpu.bt
var offCPUScript string

//go:embed offwake.bt
var offWakeScript string

// bpftraceOffCPU ranks by the time off the CPU.
var bpftraceOffCPU = tool{
	name:     "bpftrace-offcpu",
	programs: []string{"bpftrace"},
	tracefs:  true,
	start:    startBpftrace(offCPUScript),
	parse:    parseTimes(contention.HoldingOffCPU),
}

// bpftraceOffWake ranks by the time that others slept until a thread woke them.
var bpftraceOffWake = tool{
	name:     "bpftrace-offwake",
	programs: []string{"bpftrace"},
	tracefs:  true,
	start:    startBpftrace(offWakeScript),
	parse:    parseTimes(contention.ReleaseStack),
}

// watching is what the script prints once all its probes are attached: bpftrace attaches
// the first probe of a script last.
const watching = "watching"

func startBpftrace(script string) startFunc {
	return func(ctx context.Context, path string, t target) (session, error) {
		cmd := exec.Command(path, "-B", "line", "-e", preamble(t)+script)
		p, err := startProcess(cmd, "BPFTRACE_MAP_KEYS_MAX=65536")
		if err != nil {
			return nil, err
		}
		if err := p.await(ctx, func() bool { return p.says(watching) }); err != nil {
			_ = p.close()
			return nil, err
		}
		return p, nil
	}
}

// preamble tells a script its target.
func preamble(t target) string {
	var b strings.Builder
	b.WriteString("BEGIN { ")
	for _, pid := range t.pids {
		fmt.Fprintf(&b, "@target[%d] = 1; ", pid)
	}
	fmt.Fprintf(&b, "}\ninterval:ms:50 /!@watching/ { @watching = 1; printf(\"%s\\n\"); }\n", watching)
	return b.String()
}

// timeKey begins an entry of the map @time of the scripts. Its stack follows, one frame a
// line, and then timeValue, or at once the value where there is no stack.
var (
	timeKey   = regexp.MustCompile(`^@time\[(\d+), (.*), (\]: \d+)?$`)
	timeValue = regexp.MustCompile(`^\]: (\d+)$`)
)

// parseTimes reads the entries of the map @time: a thread, its name, a stack, and
// nanoseconds. Threads that are not the target's are among them where they woke one.
func parseTimes(role contention.Role) func(io.Reader, target) ([]suspect, error) {
	return func(r io.Reader, t target) ([]suspect, error) {
		var all suspects
		var thread contention.Thread
		var stack contention.Stack
		inside := false
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			line := lines.Text()
			if key := timeKey.FindStringSubmatch(line); key != nil {
				tid, err := strconv.Atoi(key[1])
				if err != nil {
					return nil, fmt.Errorf("thread: %w", err)
				}
				thread, _ = t.thread(tid, key[2])
				stack, inside, line = nil, true, key[3]
			}
			if value := timeValue.FindStringSubmatch(line); value != nil && inside {
				ns, err := strconv.ParseInt(value[1], 10, 64)
				if err != nil {
					return nil, fmt.Errorf("time of thread %d: %w", thread.TID, err)
				}
				all.add(thread, time.Duration(ns), role, stack)
				inside = false
			} else if frame, ok := frameOf(line); ok && inside {
				stack = append(stack, frame)
			}
		}
		return all.list, lines.Err()
	}
}
