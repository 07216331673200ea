// SPDX-License-Identifier: Apache-2.0

// Package results keeps what runs of the catalogue gave: the plan, one record a
// planned run and analyser, the environment they were made in, and the statistics,
// comparisons and exports made of them.
//
// A folder holds plan.json, written before the first run, env.json and
// results.jsonl, to which each record is appended and synced. A planned run that
// left no record is lost, so that a crash never looks like success. Everything
// else in the folder can be made again from these three.
//
// Instants and spans are nanoseconds, shares are 0..1, a rank counts from 1 and is
// 0 where the truth is absent from the list.
package results
