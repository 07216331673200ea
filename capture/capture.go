// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"errors"

	"github.com/os2026/ebpf-rca/contention"
)

// Version is that of the format that Write writes.
const Version = 2

// Extension ends the names of files with captures.
const Extension = ".cap.zst"

// Errors of Read, and the last of Write.
var (
	ErrTruncated = errors.New("the file ends early")
	ErrCorrupt   = errors.New("not a capture, or a damaged one")
	ErrVersion   = errors.New("written by a newer program")
	ErrTooLarge  = errors.New("too large for a capture")
)

// Capture is what an analysis is given, and what else a diagnosis tells.
type Capture struct {
	Target Target
	// Kernel is the release of the kernel on which the target ran.
	Kernel string
	// MinShare is the share of its window that a victim must have lost for an accusation;
	// 0 is the analysis' own.
	MinShare float64
	// Notes say what could not be seen.
	Notes []string
	Trace contention.Trace
}

// Target is the process that was watched.
type Target struct {
	PID  int
	Comm string
}
