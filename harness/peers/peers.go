// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
)

// All lists the peers, installed or not, in the order of their names.
func All() []harness.Peer {
	var list []harness.Peer
	for _, t := range tools() {
		list = append(list, harness.Peer{Name: results.PeerPrefix + t.name, Observer: observer{t}})
	}
	return list
}

// Available says why a peer cannot be asked, nil if it can as far as is known before.
func Available(p harness.Peer) error {
	o, ours := p.Observer.(observer)
	if !ours {
		return nil
	}
	_, err := o.tool.find()
	return err
}

func tools() []tool {
	return []tool{bpftraceOffCPU, bpftraceOffWake, futexctn, offcputime, perfSched, wakeuptime}
}

// tool is a program that watches and ranks.
type tool struct {
	name string
	// programs are the names under which it is installed, of which the first found is taken.
	programs []string
	// tracefs says that it needs the names of tracepoints.
	tracefs bool
	// start begins to watch a target and returns once it does.
	start startFunc
	// parse reads what it printed.
	parse func(io.Reader, target) ([]suspect, error)
}

// tracepoints is where tracefs shows the tracepoints of the scheduler.
const tracepoints = "/sys/kernel/tracing/events/sched"

// find returns the path of the program.
func (t tool) find() (string, error) {
	path := ""
	for _, name := range t.programs {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return "", fmt.Errorf("%w: %s is not installed", harness.ErrAbsent, strings.Join(t.programs, " or "))
	}
	if t.tracefs {
		if _, err := os.Stat(tracepoints); err != nil {
			return "", fmt.Errorf("%w: %s needs tracefs: %w", harness.ErrAbsent, t.programs[0], err)
		}
	}
	return path, nil
}
