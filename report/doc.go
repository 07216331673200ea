// SPDX-License-Identifier: Apache-2.0

// Package report makes one page of result folders, to be looked at by a person.
//
// The page stands alone: styles and drawings are in it, it has no script and asks for
// nothing from outside, which its content security policy enforces. It reads on a
// phone and in print, and says nothing by colour alone.
//
// The steps of use, in order:
//
//   - Open reads each folder; one that cannot be read is an Input with its error, which
//     the page tells, too.
//   - Write renders them. What a figure lacks, as the ledger of a run, is told in its
//     place, and the rest is rendered.
//
// For a run that went wrong the page shows a timeline: what the threads wrote down of
// themselves, and beside and below it what the analysis said of them. Its rows are
// drawn in a fixed number of columns, and in each the height is the share of the time
// that was waited or held, so that a thousand holds of a microsecond do not look like
// one of a second and a page does not grow with its runs' events.
//
// Equal folders give an equal page, byte for byte.
package report
