// SPDX-License-Identifier: Apache-2.0

// Package usym names addresses in the user space of other processes.
//
//	symbols := usym.New()
//	defer symbols.Close()
//	stack := symbols.Frames(usym.Process{PID: pid}, pcs) // while the process lives, or was asked about before
//	name, ok := symbols.Variable(pid, address) // "table_lock+0x0"
//	symbols.Forget(pid)               // when it exits or executes another program
//
// Where names come from, each looked at only when those before it leave something
// open:
//
//   - .symtab and .dynsym of the file that is mapped, and its calls through the PLT
//     ("pthread_mutex_lock@plt");
//   - for a stripped file, the debug file that its build id or .gnu_debuglink names,
//     in the root directory of the process and in ours, or else .gnu_debugdata;
//   - for a stripped Go program, the table that its runtime uses;
//   - for the vDSO, its image in the memory of the process;
//   - for memory that belongs to no ELF file, /tmp/perf-PID.map, which a JIT compiler
//     writes.
//
// Names of C++ and Rust are shown as in their sources, without parameters. What has no
// name keeps its module and offset: a function that a stripped library does not
// export, code made at run time, a process that is gone. There is no guess: a symbol
// without a size stands for its first byte only where the file may hold functions that
// have no symbol.
//
// Nothing here fails; what cannot be read is left empty. Files may be hostile. A
// symbol table of more than 4 Mi entries, or with more than 1 Mi functions or as many
// variables, is left out whole, as is a .gnu_debugdata that expands to more than
// 64 MiB: the other sources of names still serve. Tables are dropped, the least
// recently used first, when all together take more than 64 MiB, and read again when
// asked for while the process lives.
package usym
