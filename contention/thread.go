// SPDX-License-Identifier: Apache-2.0

package contention

import "time"

// ThreadID names one thread for as long as the machine is up: the kernel hands
// out a tid again, but never with the same start.
type ThreadID struct {
	TID int
	// Start is the thread's start since boot (CLOCK_BOOTTIME).
	Start time.Duration
}

// IsZero reports whether id names no thread.
func (id ThreadID) IsZero() bool { return id == ThreadID{} }

// Compare orders ids by tid, then by start.
func (id ThreadID) Compare(other ThreadID) int {
	if c := id.TID - other.TID; c != 0 {
		return c
	}
	return int(min(max(id.Start-other.Start, -1), 1))
}

// Thread is a thread and what is known of it.
type Thread struct {
	PID  int    `json:"pid"`
	TID  int    `json:"tid"`
	Comm string `json:"comm,omitempty"`
	// Start is since boot (CLOCK_BOOTTIME); with TID it is unique.
	Start time.Duration `json:"start_time_ns,omitempty"`
}

// ID returns what names t.
func (t Thread) ID() ThreadID { return ThreadID{TID: t.TID, Start: t.Start} }
