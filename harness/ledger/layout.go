// SPDX-License-Identifier: Apache-2.0

package ledger

import "time"

// What follows mirrors the structures of ledger.h; the names are theirs.

const magic = "RCALEDG1"

// Flags of a thread.
const (
	flagCulprit        = 1 << 0
	flagWouldBeCulprit = 1 << 1
)

// Rules of a resource.
const (
	ruleAnyLeaves = 0
	ruleProduced  = 1
	ruleAllLeave  = 2
)

// ticksPerSecond is the unit of start times in /proc on every architecture Linux runs
// on: USER_HZ is 100.
const ticksPerSecond = 100

// StartTick is the unit to which a thread's start is known.
const StartTick = time.Second / ticksPerSecond

type rawHeader struct {
	Magic     [8]byte
	Threads   uint32
	Resources uint32
	Capacity  uint64
	GoNS      uint64
	StopNS    uint64
}

type rawResource struct {
	Kind    [24]byte
	Address uint64
	Inode   uint64
	PID     uint32
	Rule    uint32
}

type rawThread struct {
	PID             uint32
	TID             uint32
	StartTicks      uint64
	Flags           uint32
	_               uint32
	Decoy           [24]byte
	Entries         uint64
	Dropped         uint64
	Operations      uint64
	Acquisitions    uint64
	Switches        uint64
	RunDelayBeginNS uint64
	RunDelayEndNS   uint64
}

type rawEntry struct {
	BeginNS  uint64
	EndNS    uint64
	Kind     uint32
	Resource uint32
}
