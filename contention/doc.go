// SPDX-License-Identifier: Apache-2.0

// Package contention holds the nouns that every other package speaks: threads,
// resources, waits, stacks, a trace of them, and the findings an analysis makes
// of a trace.
//
// It imports nothing of this module and does nothing on its own. Instants and
// spans are time.Duration; an instant counts from boot on CLOCK_MONOTONIC, the
// clock of bpf_ktime_get_ns, unless a field says otherwise. JSON renders both as
// integers of nanoseconds.
package contention
