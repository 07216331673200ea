// SPDX-License-Identifier: Apache-2.0

package contention

import "time"

// Variant is one of the ways to play a program whose contention is known.
type Variant string

// The variants. A fault has a culprit; a twin is the same program without one; a
// control has never had one.
const (
	FaultVariant   Variant = "fault"
	TwinVariant    Variant = "twin"
	ControlVariant Variant = "control"
)

// Dose is how much contention is put into a program.
type Dose struct {
	Hold       time.Duration `json:"hold_ns"`
	Contenders int           `json:"contenders"`
	// Noise is how many threads of another process, which has nothing to do with the
	// program, sleep and run beside it.
	Noise int `json:"noise,omitempty"`
}
