// SPDX-License-Identifier: Apache-2.0

// Package load does work of a fixed size, so that what it takes can be compared.
//
// All lists the loads: programs of ours, in programs/, that do little but switch between
// threads; sysbench; and a PostgreSQL server under pgbench. Use one in this order:
//
//	source, err := l.Open(ctx)           // harness.ErrAbsent: its program is not installed
//	defer source.Close()
//	run, err := source.Start(ctx, units) // it waits
//	defer run.Close()
//	…                                    // watch run.PID()
//	took, err := run.Do(ctx, counted)
//
// What a load takes is CPU time first, its own and the system's for it. It is the same
// for the same work, and what an eBPF program uses is charged to the thread it runs in.
// Elapsed time and the 99th percentile of the time to an answer stand beside it.
//
// No program of a load outlives this process, however it ends, and its files are gone
// after Close.
package load
