// SPDX-License-Identifier: Apache-2.0

// Package overhead measures what it costs a load to be watched.
//
// Measure has the same work done again and again: unobserved, under each observer in
// turn, in the opposite order, and unobserved again. That is a block, A B C C B A; its
// order is drawn anew for each block. The two runs under an observer make two pairs with
// the unobserved run on their side, so that a drift of the machine favours nobody. One of
// the observers is none: what its pairs show is noise.
//
// Runs in which the kernel keeps account of what eBPF programs take come last, because
// the account itself costs time.
//
// Judge holds what our default mode adds against what empty programs add. It imports no
// eBPF: an Observer is handed in, and Peer makes one of a tool of others.
package overhead
