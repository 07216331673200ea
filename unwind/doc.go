// SPDX-License-Identifier: Apache-2.0

// Package unwind says how to get from a frame of an x86-64 program to its caller.
//
//	table, err := unwind.Read(file, size)       // once a file
//	rule := table.Rule(vaddr, returnAddress)    // for one program counter in it
//	if rule.Kind == unwind.Unknown {
//		rule = unwind.FramePointer()        // a guess, as is unwind.Scan
//	}
//	caller, ok := rule.Step(registers, read)    // read looks into the stack
//
// Rules come from .eh_frame, .debug_frame and, for Go, .gopclntab. A Rule is small
// enough to be kept by the kernel for each program counter that is met; it can say
// all that compilers write but for a few hand-written functions, and those are
// Unknown.
//
// Read fails with an error that wraps ErrUnsupported where the file is no x86-64 ELF
// program, and ErrNoRules where it is one without unwind information. Files may be
// hostile: what is read, kept and executed is bounded, and a section that breaks off
// in the middle keeps the rules before that.
package unwind
