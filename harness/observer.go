// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"errors"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// Observer watches a process.
type Observer interface {
	// Attach begins to watch the process and its descendants. The process is left
	// as it is.
	Attach(ctx context.Context, pid int) (Observation, error)
}

// Observation is one process being watched.
type Observation interface {
	// Finish ends the watching and returns what was seen in the window. It is
	// called once.
	Finish(ctx context.Context, window contention.Window) (*contention.Trace, error)
	// Cost is what the watching cost the machine so far.
	Cost() results.Overhead
	// Close stops the watching, finished or not. It may be called twice.
	Close() error
}

// Answerer is the observation of a tool that says itself who is to blame. Its Finish returns
// no trace.
type Answerer interface {
	Observation
	// Answer is what the tool says, once finished.
	Answer() contention.Analysis
}

// Peer is a tool that a plan names beside analysers: it watches runs of its own, of the
// same seeds, and its observations answer themselves.
type Peer struct {
	Name string // begins with results.PeerPrefix
	Observer
}

// ErrAbsent says that a tool is not installed or cannot work on this kernel. A run that it
// should have watched is unsupported.
var ErrAbsent = errors.New("absent")

// Analyzer turns a trace into findings.
type Analyzer struct {
	Name    string
	Analyze func(*contention.Trace) contention.Analysis
}
