// SPDX-License-Identifier: Apache-2.0

// Package harness asks the questions of the catalogue and grades the answers.
//
// For each planned run it starts the workload, lets an observer attach to the
// workload's pid, says "go", waits, and then, in this order: reads the ledger,
// computes the truth from it alone, decides whether the run is valid, and only
// then has the trace analysed and the answer graded.
//
// A fault is recorded once its twin of the same seed has been played, for the twin
// tells whether the fault bit. What keeps a run out of accuracy, and the bounds, are
// in validity.go; how blame follows from a ledger is in truth_moment.go.
//
// Run carries out a plan, MeasureOverhead asks what observing costs, TruthOf says what
// a ledger means, and Recheck holds the records of a folder against the ledgers in it.
// A workload never outlives the call that started it.
//
// A Peer is a tool that ranks threads itself. It watches each run of a plan played
// again, under itself alone, and is graded by the ledger of that run.
//
// What observing costs other work than that of the catalogue is measured in
// harness/overhead, with the loads of harness/load.
//
// It imports neither the collector nor the eBPF objects. What watches the workload
// is an Observer, which is told a pid and nothing else, so everything here is
// tested without privileges.
package harness
