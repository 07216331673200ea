// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"sync"

	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/results"
)

// matrixReport tells of the progress of several kernels.
type matrixReport struct {
	mu       sync.Mutex
	progress progress
	w        io.Writer
}

func newMatrixReport(w io.Writer) *matrixReport {
	return &matrixReport{progress: newProgress(w), w: w}
}

// note tells what is being done.
func (r *matrixReport) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.clear()
	fmt.Fprintln(r.w, what)
}

func (r *matrixReport) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.clear()
}

func (r *matrixReport) tell(e matrix.Event) {
	switch {
	case e.Note != "":
		r.note(fmt.Sprintf("%s: %s", e.Kernel.Spec, e.Note))
	case e.Run != nil:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.progress.show("%s: %d/%d %s %s, seed %d", e.Kernel.Spec, e.Done, e.Total, e.Run.Scenario, e.Run.Variant, e.Run.Seed)
	case e.Record != nil && r.remarkable(*e.Record):
		text := fmt.Sprintf("%s: %d/%d %s %s, seed %d: %s", e.Kernel.Spec, e.Done, e.Total, e.Record.Scenario, e.Record.Variant, e.Record.Seed, e.Record.Verdict)
		if e.Record.Reason != "" {
			text += " (" + e.Record.Reason + ")"
		}
		r.note(text)
	}
}

// remarkable reports whether a record deserves a line that stays: where nobody watches
// the progress, each does.
func (r *matrixReport) remarkable(record results.Record) bool {
	return r.progress.w == nil || (record.Verdict != results.Hit && record.Verdict != results.CorrectReject)
}
