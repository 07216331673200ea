// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// libbpfNames are those under which Debian, Fedora and those who build them install the
// libbpf-tools.
func libbpfNames(name string) []string {
	return []string{name + "-libbpf", "bpf-" + name, name}
}

// startLibbpf starts one of the libbpf-tools. It watches one process, or else all, of which
// the parsers take what is the target's.
func startLibbpf(ctx context.Context, path string, t target) (session, error) {
	var args []string
	if len(t.pids) == 1 {
		args = []string{"-p", strconv.Itoa(t.pids[0])}
	}
	p, err := startProcess(exec.Command(path, args...))
	if err != nil {
		return nil, err
	}
	if err := p.await(ctx, p.sleeps); err != nil {
		_ = p.close()
		return nil, err
	}
	return p, nil
}

// sleeps reports whether a tool sleeps by the clock, as these do once they have attached.
func (p *process) sleeps() bool {
	call, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", p.PID()))
	if err != nil {
		return false
	}
	number, _, _ := strings.Cut(string(call), " ")
	return number == strconv.Itoa(unix.SYS_CLOCK_NANOSLEEP)
}
