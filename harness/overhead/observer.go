// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"context"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// The names of the observers that others are held against.
const (
	None    = "none"
	Empty   = "empty"
	Default = "default"
)

// Observer is a way to watch a process.
type Observer struct {
	Name string
	// Watch begins to watch a process. With account the kernel is to keep account of what
	// eBPF programs take. The error wraps harness.ErrAbsent where it cannot be had here.
	Watch func(ctx context.Context, pid int, account bool) (Watch, error)
	// Accounted says that there are eBPF programs of ours to keep account of.
	Accounted bool
}

// Watch is a process being watched.
type Watch interface {
	// Used is what watching has taken so far.
	Used() (Used, error)
	// Finish hands over what was seen and returns what was lost.
	Finish(ctx context.Context) (contention.Loss, error)
	// Close stops the watching, finished or not. It may be called twice.
	Close() error
}

// Used is what watching took beside the time in the threads that are watched.
type Used struct {
	// CPU is that of the process that watches.
	CPU time.Duration
	// RSSBytes is the most memory that it had, 0 if that is not known.
	RSSBytes uint64
	// MapBytes is the memory of eBPF maps.
	MapBytes uint64
	// Programs are those that the kernel keeps account of, by name.
	Programs map[string]Program
}

// Program is what an eBPF program took so far.
type Program struct {
	Runs uint64
	Time time.Duration
}

// nobody watches.
type nobody struct{}

func (nobody) Used() (Used, error)                             { return Used{}, nil }
func (nobody) Finish(context.Context) (contention.Loss, error) { return contention.Loss{}, nil }
func (nobody) Close() error                                    { return nil }
