// SPDX-License-Identifier: Apache-2.0

// Package bpf holds the eBPF programs: their C source, the objects compiled from
// it, and what Go needs to load them.
//
// The objects are committed, so only who changes the C needs clang. The source is
// compiled twice, for kernels from 5.15 on and for those before, down to 5.10. Load picks
// the form and the programs that this kernel can run, by what its BTF says and not by its
// version; each HaveX says what there is to pick from. Attaching and reading is the
// collector's work.
package bpf
