// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bufio"
	"io"
	"regexp"
	"strings"
)

// complaint is what a kernel prints when something is wrong with it: panics, oopses,
// warnings, stalls, and what lockdep and the verifier's own checks find. Not every
// warning is one: some tell only how the CPU is protected.
var complaint = regexp.MustCompile(`Kernel panic|Oops: |BUG: |WARNING: (CPU: |[a-z0-9_/.-]+\.[ch]:[0-9])|general protection fault|` +
	`possible (recursive locking|circular locking dependency|irq lock inversion)|suspicious RCU usage|` +
	`inconsistent lock state|bad unlock balance|rcu.*(detected (expedited )?stalls|self-detected stall)|` +
	`blocked for more than|soft lockup|hard LOCKUP|verifier bug|Out of memory:|UBSAN: |KASAN: |KCSAN: `)

// callTrace begins the list of functions that a kernel was in.
const callTrace = "Call Trace:"

// maxQuoted bounds how many lines of a log are quoted.
const maxQuoted = 12

// Complaints returns the lines of a kernel's log that tell of something wrong with it, and
// after the first of them where it was. None is good.
func Complaints(log io.Reader) ([]string, error) {
	var quoted []string
	trace := 0
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, maxMessageLine)
	for lines.Scan() {
		line := printable(lines.Text())
		switch {
		case complaint.MatchString(line):
			quoted = append(quoted, line)
		case strings.Contains(line, callTrace) && len(quoted) > 0 && trace == 0:
			trace = 5
		case trace > 0:
			trace--
			quoted = append(quoted, line)
		}
		if len(quoted) >= maxQuoted {
			break
		}
	}
	return quoted, lines.Err()
}

// kernelLine is a line of a console that the kernel wrote.
var kernelLine = regexp.MustCompile(`^\[ *[0-9]+\.[0-9]+\] `)

// lastWords is the last line of a console that a program wrote.
func lastWords(log string) string {
	last := "it said nothing"
	for line := range strings.Lines(log) {
		if line = printable(line); line != "" && !kernelLine.MatchString(line) {
			last = line
		}
	}
	return last
}

// printable takes the control characters out of a line of a console.
func printable(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return -1
		}
		return r
	}, line))
}
