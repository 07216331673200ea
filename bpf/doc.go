// SPDX-License-Identifier: Apache-2.0

// Package bpf holds the eBPF programs: their C source, the objects compiled from
// it, and what Go needs to load them.
//
// The objects are committed, so only who changes the C needs clang. Load picks the
// programs that this kernel can run, by what its BTF says and not by its version;
// Probe says what there is to pick from. Attaching and reading is the collector's
// work.
package bpf
