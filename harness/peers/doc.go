// SPDX-License-Identifier: Apache-2.0

// Package peers lets tools of others answer the questions of the catalogue, so that they
// are graded by the same rules: two bpftrace scripts of ours, which do what the usual
// off-CPU and wake-up profiles do, perf sched, and the libbpf-tools offcputime, wakeuptime
// and futexctn.
//
// A peer watches a run of its own, of the same seed, and knows the target's pid alone. It
// measures something of each thread, which ranks them: how long it was off the CPU, how
// long others slept until it woke them. So its answer is a list of threads with the
// functions that it shows; it knows no class, resource or chain, and is not graded by them.
//
// All lists the peers. One that is not installed, or cannot work on this kernel, is still
// listed: its Observer then says so with harness.ErrAbsent, and the runs are recorded as
// unsupported. The tools are looked for in PATH; those that use tracepoints by name need
// tracefs.
//
// How a tool is started is in its own file, with the parser of what it prints; process.go
// runs it, target.go knows whom it watches, suspect.go turns what it says into findings.
package peers
