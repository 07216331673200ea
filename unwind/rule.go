// SPDX-License-Identifier: Apache-2.0

package unwind

// Kind says how the caller of a frame is found.
type Kind uint8

const (
	// Unknown: nothing is known of this program counter, or no Rule can say it.
	Unknown Kind = iota
	// FromSP: the CFA is the stack pointer + Rule.CFA.
	FromSP
	// FromFP: the CFA is the frame pointer + Rule.CFA.
	FromFP
	// Signal: the code that a signal handler returns to. The interrupted registers
	// lie above the stack pointer.
	Signal
	// End: the outermost frame.
	End
)

// Rule leads from a frame to its caller. The canonical frame address (CFA) is the
// stack pointer of the caller after the return, and the return address lies at
// CFA-8. FP is where the frame pointer of the caller lies, relative to the CFA; 0: it
// is unchanged. With FromSP, CFA is at least 8. CFA and FP are 0 in the other kinds.
type Rule struct {
	Kind Kind
	CFA  int32
	FP   int16
}

// wordSize is the size of a register on the stack.
const wordSize = 8

// FramePointer is the rule of code that keeps frame pointers. It is wrong in a
// prologue, in an epilogue and in code that has none.
func FramePointer() Rule {
	return Rule{Kind: FromFP, CFA: 2 * wordSize, FP: -2 * wordSize}
}
