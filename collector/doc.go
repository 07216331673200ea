// SPDX-License-Identifier: Apache-2.0

// Package collector turns the events of the kernel into a contention.Trace, and
// into per-thread samples.
//
// Observe watches one process and its descendants, and Cut gives what was seen so
// far as a trace:
//
//	o, err := collector.Observe(pid, collector.Options{})
//	defer o.Close()
//	…
//	trace, err := o.Cut(contention.Window{Begin: begin, End: end})
//
// NewLockCollector watches the whole system and Poll gives a sample of each thread
// that blocked. Both take CAP_BPF and CAP_PERFMON, or root; without, the error wraps
// os.ErrPermission. A kernel that lacks what they need gives bpf.ErrNotSupported,
// and a process that does not exist ErrNoProcess.
//
// A wait shorter than 10 us is told with who ended it, but without that thread's
// stack: what a stack costs would be felt most where waits are short and many.
//
// Nothing is pinned: when the process that collects ends, however it ends, the
// kernel detaches and frees everything.
package collector
