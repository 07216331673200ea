// SPDX-License-Identifier: Apache-2.0

package contention

import (
	"cmp"
	"fmt"
	"strconv"
)

// Kind says what sort of thing is waited for.
type Kind string

// The kinds of resource.
const (
	Mutex        Kind = "mutex"
	RWLock       Kind = "rwlock"
	CondVar      Kind = "condvar"
	Semaphore    Kind = "semaphore"
	Barrier      Kind = "barrier"
	Join         Kind = "join"
	Futex        Kind = "futex"   // of unknown make
	Monitor      Kind = "monitor" // a runtime's lock
	Pipe         Kind = "pipe"
	Socket       Kind = "socket"
	EventFD      Kind = "eventfd"
	Flock        Kind = "flock"
	PosixLock    Kind = "posix-lock"
	KernelMutex  Kind = "kernel-mutex"
	KernelRWSem  Kind = "kernel-rwsem"
	KernelSpin   Kind = "kernel-spin"
	KernelRT     Kind = "kernel-rt"
	KernelPCPURW Kind = "kernel-percpu-rwsem"
	Fault        Kind = "fault"
	CPU          Kind = "cpu"
	Disk         Kind = "disk"
	Network      Kind = "network"
	Timer        Kind = "timer"
	Signal       Kind = "signal"
	Poll         Kind = "poll"
	Other        Kind = "other"
)

// Side tells the two ends of a pipe or socket apart: a reader waits for data and
// a writer for room, and different threads let them go.
type Side string

// The sides of a resource.
const (
	NoSide  Side = ""
	ForData Side = "data"
	ForRoom Side = "room"
)

// Address is a place in memory, rendered as hexadecimal text.
type Address uint64

// String renders a as 0x-prefixed hexadecimal.
func (a Address) String() string { return fmt.Sprintf("%#x", uint64(a)) }

// MarshalText renders a as String does.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (a *Address) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 0, 64)
	if err != nil {
		return fmt.Errorf("address %q: %w", text, err)
	}
	*a = Address(v)
	return nil
}

// Resource is one object that threads wait for. Two waits are for the same
// object when their resources are equal, so the type is comparable.
type Resource struct {
	Kind Kind `json:"kind"`
	// Address is that of a futex word or kernel lock; for a futex in shared
	// memory it is the offset in the file Device and Inode name.
	Address Address `json:"address,omitempty"`
	Device  uint64  `json:"device,omitempty"`
	Inode   uint64  `json:"inode,omitempty"`
	// PID is the process whose address space Address is in, where it matters.
	PID int `json:"pid,omitempty"`
	// TID is set where only one thread can wait: a sleep, a signal.
	TID    int    `json:"tid,omitempty"`
	Side   Side   `json:"side,omitempty"`
	Symbol string `json:"symbol,omitempty"`
}

// Compare orders resources by kind, then by what else tells them apart.
func (r Resource) Compare(other Resource) int {
	return cmp.Or(
		cmp.Compare(r.Kind, other.Kind),
		cmp.Compare(r.Address, other.Address),
		cmp.Compare(r.Device, other.Device),
		cmp.Compare(r.Inode, other.Inode),
		cmp.Compare(r.PID, other.PID),
		cmp.Compare(r.TID, other.TID),
		cmp.Compare(r.Side, other.Side),
		cmp.Compare(r.Symbol, other.Symbol),
	)
}
