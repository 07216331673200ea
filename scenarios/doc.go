// SPDX-License-Identifier: Apache-2.0

// Package scenarios is the catalogue of questions: programs whose culprit is
// known because it was put there.
//
// A scenario is declared in one file of this folder and played by one program of
// workload/. The declaration says what is injected and which answer is right; it
// is never shown to the collector or the analysis, which are given a pid.
//
// # How a workload is played
//
// The harness starts the program with
//
//	NAME --variant=fault|twin|control --seed=N --hold-ns=N --contenders=N --duration-ns=N --ledger=FILE
//
// and talks to it over its standard input and output. The program creates its
// threads, writes the line "ready" and reads. On the line "go" it lets the threads
// loose for the duration, joins them, completes the ledger, writes the line "done"
// and exits 0. It also exits, at any time, when standard input is closed: a
// workload never outlives the harness. Its threads are named w0, w1, … and which
// of them is the culprit follows from the seed alone; in the twin the ledger marks
// the thread that would be.
//
// Other exit codes: 1 something went wrong, 2 it was asked for what it cannot play,
// 3 standard input was closed.
package scenarios
