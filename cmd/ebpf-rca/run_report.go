// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
)

// runReport tells of the progress of a plan.
type runReport struct {
	progress progress
	w        io.Writer
}

func (r runReport) tell(e harness.Event) {
	if len(e.Records) == 0 {
		r.progress.show("%d/%d %s %s, seed %d", e.Done, e.Total, e.Run.Scenario, e.Run.Variant, e.Run.Seed)
		return
	}
	first := e.Records[0]
	if results.IsPeer(first.Analyzer) {
		return // the table tells how peers did
	}
	if r.progress.w != nil && (first.Verdict == results.Hit || first.Verdict == results.CorrectReject) {
		return // the next line replaces it
	}
	r.progress.clear()
	fmt.Fprintf(r.w, "%d/%d %s %s, seed %d: %s", e.Done, e.Total, e.Run.Scenario, e.Run.Variant, e.Run.Seed, first.Verdict)
	if first.Reason != "" {
		fmt.Fprintf(r.w, " (%s)", first.Reason)
	}
	fmt.Fprintln(r.w)
}
