// SPDX-License-Identifier: Apache-2.0

// Package usym names addresses in the user space of other processes.
//
//	symbols := usym.New()
//	stack := symbols.Frames(pid, pcs) // while the process lives, or was asked about before
//	symbols.Forget(pid)               // when it exits or executes another program
//
// Names come from the ELF symbol tables of the files that the process maps. What
// has no name keeps its module and address: a stripped function, code made at run
// time, a process that is gone. Nothing here fails; what cannot be read is left
// empty. Files may be hostile: the size of what is read is bounded, and a file that
// cannot be read names nothing.
package usym
