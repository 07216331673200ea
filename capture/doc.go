// SPDX-License-Identifier: Apache-2.0

// Package capture keeps what an analysis saw in a file, so that it can be analysed
// again elsewhere, by another analysis, without root.
//
// Write writes a Capture: the whole trace, and what else a diagnosis tells. Read reads
// it back, equal to what was written in every field. Of a damaged file Read returns what
// can be read beside the error:
//
//   - ErrTruncated: the file ends early;
//   - ErrCorrupt: it is not a capture, or is damaged from some place on;
//   - ErrVersion: a newer program wrote it;
//   - ErrTooLarge: it would take more memory than a capture may (Write tells this too).
//
// # Format
//
// A file is a stream in the Zstandard format (RFC 8878), flushed after each section so
// that one that was cut short can be read as far as it goes. Unpacked it is the line
//
//	ebpf-rca/capture/2
//
// with the version, and sections: a length (an unsigned varint), that many bytes, and
// their CRC-32C (four bytes, the lowest first). The first section is the header, which says
// how many rows the tables have. The others hold the rows, 16384 a section and the rest in
// the last, of these tables in this order: threads, stacks, waits, preemptions, samples,
// exits. The file ends with the last row.
//
// Within a section of a table, all values of the first column come first, then those
// of the second. These are the values:
//
//   - a number, flag (0 or 1), instant or length of time in nanoseconds is a varint with
//     zigzag encoding, as encoding/binary has it. Instants are written as the difference
//     to what is likely near: the same column in the row before, or another column;
//   - a text, thread id, resource or frame is the place in a list of those met so far in
//     the file, one list for each of the four, which begins with the zero value. A place
//     one past the end is followed by the value itself, which joins the list;
//   - a list within a row is its length plus one, or 0 for nil, and its items.
//
// What the columns are and in which order is said once, for both directions, in
// header.go and rows.go.
//
// A change of the format, such as a field added to a wait, takes a new Version. Read reads
// the earlier ones: what only later ones have is coded under a condition.
package capture
