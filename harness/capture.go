// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bytes"
	"fmt"

	"github.com/os2026/ebpf-rca/capture"
)

// capture keeps what the analysis is given of a run, and returns the name of the file.
func (r *runner) capture(out *outcome) (string, error) {
	c := capture.Capture{Target: out.played.target(), Kernel: r.Kernel, Trace: *out.played.trace}
	var data bytes.Buffer
	if err := capture.Write(&data, c); err != nil {
		return "", err
	}
	return r.keep(fmt.Sprintf("captures/%d%s", out.run.Index, capture.Extension), data.Bytes())
}

// target is the process that was watched, by the name that the trace has for it.
func (p *played) target() capture.Target {
	target := capture.Target{PID: p.pid}
	for _, t := range p.trace.Threads {
		if t.TID == p.pid {
			target.Comm = t.Comm
		}
	}
	return target
}
