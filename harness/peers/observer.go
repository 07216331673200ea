// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
)

// observer has a tool watch.
type observer struct{ tool tool }

// Attach starts the tool on the process and its descendants and returns once it watches.
func (o observer) Attach(ctx context.Context, pid int) (harness.Observation, error) {
	path, err := o.tool.find()
	if err != nil {
		return nil, err
	}
	watched, err := readTarget(os.DirFS("/proc"), pid)
	if err != nil {
		return nil, err
	}
	running, err := o.tool.start(ctx, path, watched)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", o.tool.name, err)
	}
	return &observation{tool: o.tool, watched: watched, running: running}, nil
}

// observation is a tool that watches.
type observation struct {
	tool    tool
	watched target
	running session
	answer  contention.Analysis
}

// Finish ends the watching and has the tool say what it saw. The threads of the target are
// read again, because it may have made more; if it has ended, those from the beginning count.
func (o *observation) Finish(ctx context.Context, _ contention.Window) (*contention.Trace, error) {
	watched, err := readTarget(os.DirFS("/proc"), o.watched.pids[0])
	if err != nil {
		watched = o.watched
	}
	said, err := o.running.finish(ctx)
	if err != nil {
		return nil, fmt.Errorf("end %s: %w", o.tool.name, err)
	}
	suspects, err := o.tool.parse(bytes.NewReader(said), watched)
	if err != nil {
		return nil, fmt.Errorf("read what %s says: %w", o.tool.name, err)
	}
	o.answer = rank(suspects)
	return nil, nil
}

// Answer is the ranking of the tool, once it has finished.
func (o *observation) Answer() contention.Analysis { return o.answer }

// Cost is not known: the tools keep no account of their own.
func (o *observation) Cost() results.Overhead { return results.Overhead{} }

// PID is the process of the tool, which may have ended.
func (o *observation) PID() int { return o.running.pid() }

// Close ends the tool, finished or not.
func (o *observation) Close() error { return o.running.close() }
