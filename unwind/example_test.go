// SPDX-License-Identifier: Apache-2.0

package unwind_test

import (
	"fmt"

	"github.com/os2026/ebpf-rca/unwind"
)

// A stack of two frames: the inner one uses 16 bytes of it, the outer one keeps a frame
// pointer.
func ExampleRule_Step() {
	stack := map[uint64]uint64{0x7000: 1, 0x7008: 2, 0x7010: 0x401050, 0x7020: 0, 0x7028: 0x402000}
	read := func(address uint64) (uint64, bool) {
		word, ok := stack[address]
		return word, ok
	}
	rules := []unwind.Rule{{Kind: unwind.FromSP, CFA: 24}, unwind.FramePointer(), {Kind: unwind.End}}

	at := unwind.Registers{PC: 0x401234, SP: 0x7000, FP: 0x7020}
	for _, rule := range rules {
		fmt.Printf("pc %#x\n", at.PC)
		caller, ok := rule.Step(at, read)
		if !ok {
			break
		}
		at = caller
	}
	// Output:
	// pc 0x401234
	// pc 0x401050
	// pc 0x402000
}
