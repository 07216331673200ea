// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// Ledger is the account of one run. Instants are on CLOCK_MONOTONIC.
type Ledger struct {
	// Go is when the threads were let loose, 0 if they never were.
	Go time.Duration `json:"go_ns"`
	// Stop is when they had done, 0 if the run was cut short.
	Stop      time.Duration `json:"stop_ns"`
	Resources []Resource    `json:"resources"`
	Threads   []Thread      `json:"threads"`
}

// Resource is an object that threads waited for.
type Resource struct {
	contention.Resource
	// OneWay says that waiters wait for what another thread makes, not for one
	// that holds the resource to let it go.
	OneWay bool `json:"one_way,omitempty"`
	// AllLeave says that all who hold the resource must let it go before a waiter
	// gets it. Without it any of several holders may let one in.
	AllLeave bool `json:"all_leave,omitempty"`
}

// Thread is one thread's account.
type Thread struct {
	contention.Thread
	// Culprit marks a thread that the fault was put into.
	Culprit bool `json:"culprit,omitempty"`
	// WouldBeCulprit marks, in a twin, the thread that is the culprit of the fault
	// of the same seed.
	WouldBeCulprit bool `json:"would_be_culprit,omitempty"`
	// Decoy is the label of an innocent that looks guilty.
	Decoy string `json:"decoy,omitempty"`
	// Dropped is how many entries did not fit.
	Dropped uint64 `json:"dropped,omitempty"`
	// Operations is the units of work done, Acquisitions the locks taken, reads
	// and writes done, Switches the context switches of either kind.
	Operations   uint64 `json:"operations"`
	Acquisitions uint64 `json:"acquisitions"`
	Switches     uint64 `json:"switches"`
	// RunDelay is how long the thread wanted a CPU and had none.
	RunDelay time.Duration `json:"run_delay_ns"`
	Entries  []Entry       `json:"entries"`
}

// Window is the span the account is for. Where the run was cut short it ends with
// the last thing written down.
func (l *Ledger) Window() contention.Window {
	if l.Stop != 0 {
		return contention.Window{Begin: l.Go, End: l.Stop}
	}
	last := l.Go
	for _, t := range l.Threads {
		for _, e := range t.Entries {
			last = max(last, e.Begin, e.End)
		}
	}
	return contention.Window{Begin: l.Go, End: last}
}

// Names reports whether a resource is one of those that the ledger names, or a word
// within one.
func (l *Ledger) Names(r contention.Resource) bool {
	for _, own := range l.Resources {
		if own.Address == 0 && own.Inode == 0 || own.Inode != r.Inode {
			continue
		}
		if own.Address == 0 || own.Address <= r.Address && r.Address < own.Address+sizeOf(own.Kind) {
			return true
		}
	}
	return false
}

// sizeOf is how many bytes an object takes whose address is given. Threads may wait
// on several words of one: the sizes are those of glibc on 64 bits.
func sizeOf(k contention.Kind) contention.Address {
	switch k {
	case contention.CondVar:
		return 48
	case contention.RWLock:
		return 56
	case contention.Mutex:
		return 40
	case contention.Barrier, contention.Semaphore:
		return 32
	default:
		return 4
	}
}

// Complete reports whether the run was begun and came to its end.
func (l *Ledger) Complete() bool { return l.Go != 0 && l.Stop != 0 }

// Sums are the counts of all threads together.
type Sums struct {
	Operations, Acquisitions, Switches, Dropped uint64
	RunDelay                                    time.Duration
}

// Sum adds up the counts of all threads.
func (l *Ledger) Sum() Sums {
	var s Sums
	for _, t := range l.Threads {
		s.Operations += t.Operations
		s.Acquisitions += t.Acquisitions
		s.Switches += t.Switches
		s.Dropped += t.Dropped
		s.RunDelay += t.RunDelay
	}
	return s
}
