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
// The steps of use, in order:
//
//   - NewPlan lists what to run, ReadEnv describes the machine, Create makes the
//     folder. ErrExists means that a run is there already; Resume continues one.
//     Plan.Cut makes parts for several machines.
//   - Grade judges each valid run, and Store.Append keeps its record.
//   - Open reads a folder, whole or interrupted. ErrSchema means that another
//     version wrote it; anything else that is wrong with it costs the records it
//     touches, never more, and is told in Folder.Warnings.
//   - Merge joins the folders of parts. ErrPlans means that they are not of one plan,
//     ErrTwice that a part was played twice.
//   - Score computes the figures and the reasons to doubt them, Scores.Outcome the exit
//     code, and the Write functions the exports; TrueBlame and FoundBlame are what profiles and folded
//     stacks are written of. Calibrate says what confidences are worth, and
//     DetectionThresholds from which hold time on faults are found.
//   - Compare puts folders or analysers side by side and judges what changed.
//
// Which interval and which test is used for what, and why, is in docs/statistics.md.
//
// Instants and spans are nanoseconds, shares are 0..1, a rank counts from 1 and is
// 0 where the truth is absent from the list.
package results
