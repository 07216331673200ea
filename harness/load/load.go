// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"time"
)

// Load is one kind of work.
type Load interface {
	// Name is that of the workload in results.
	Name() string
	// Open makes ready what all runs share. The error wraps harness.ErrAbsent where a
	// program that it takes is not installed.
	Open(ctx context.Context) (Source, error)
}

// Source starts runs of a load, one at a time.
type Source interface {
	// Few is a number of units that take some tenths of a second.
	Few() uint64
	// Start starts a run that is to do so many units of work, and waits.
	Start(ctx context.Context, units uint64) (Run, error)
	// Close ends what the runs shared. It may be called twice.
	Close() error
}

// Run is work that is done once.
type Run interface {
	// PID is the process to watch.
	PID() int
	// Do has the work done and returns what it took. counted is called when the work that
	// counts begins, after some to warm up.
	Do(ctx context.Context, counted func()) (Took, error)
	// Close ends the run, done or not. It may be called twice.
	Close()
}

// Took is what the work that counts took.
type Took struct {
	// CPU time of all threads that took part.
	CPU, Wall time.Duration
	// P99 is the 99th percentile of the time to an answer, 0 where nothing is answered.
	P99 time.Duration
}

// All lists the loads, whether they can be had here or not. Those of ours are in dir.
func All(dir string) []Load {
	return []Load{
		program{name: "futex-pingpong", dir: dir, few: 20_000},
		program{name: "pipe-pingpong", dir: dir, few: 20_000},
		program{name: "mutex-crowd", dir: dir, few: 100_000},
		program{name: "unrelated-switches", dir: dir, few: 20_000},
		sysbench{},
		postgres{},
	}
}
