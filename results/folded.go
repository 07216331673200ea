// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/os2026/ebpf-rca/contention"
)

// BlamedStack is blame and the stack that it falls on, innermost frame first.
type BlamedStack struct {
	Stack contention.Stack
	Blame time.Duration
	// Labels tell stacks apart in a profile, beside their frames.
	Labels map[string]string
}

// WriteFolded writes one line a stack, outermost function first, with its blame in
// microseconds: what flamegraph.pl and speedscope read.
func WriteFolded(w io.Writer, stacks []BlamedStack) error {
	sums := make(map[string]time.Duration)
	for _, s := range stacks {
		names := make([]string, 0, len(s.Stack))
		for _, f := range slices.Backward(s.Stack) {
			names = append(names, foldable(f.Name()))
		}
		sums[strings.Join(names, ";")] += s.Blame
	}
	lines := sortedKeys(sums)
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(sums[b], sums[a]) })
	for _, line := range lines {
		if _, err := fmt.Fprintf(w, "%s %d\n", line, sums[line].Microseconds()); err != nil {
			return fmt.Errorf("write folded stacks: %w", err)
		}
	}
	return nil
}

// foldable is a name that cannot be taken for the end of one or of a line.
func foldable(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ':'
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		default:
			return r
		}
	}, name)
}
