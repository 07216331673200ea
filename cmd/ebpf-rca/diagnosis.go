// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/capture"
	"github.com/os2026/ebpf-rca/contention"
)

// diagnosisSchema names the form of diagnose --json.
const diagnosisSchema = "ebpf-rca/diagnosis/1"

// diagnosis is what diagnose says of one window.
type diagnosis struct {
	Schema   string               `json:"schema"`
	Target   target               `json:"target"`
	Window   time.Duration        `json:"window_ns"`
	Kernel   string               `json:"kernel"`
	Findings []contention.Finding `json:"findings"`
	Totals   contention.Totals    `json:"totals"`
	Loss     contention.Loss      `json:"loss"`
	Shed     *shed                `json:"shed,omitempty"`
	// Notes say what could not be known.
	Notes []string `json:"notes,omitempty"`
}

// shed is what was left out in a storm of waits.
type shed struct {
	Waits    uint64        `json:"waits"`
	WaitTime time.Duration `json:"wait_ns"`
	// Told is for how much of the window nothing was.
	Told time.Duration `json:"told_ns"`
}

type target struct {
	PID  int    `json:"pid"`
	Comm string `json:"comm,omitempty"`
}

// diagnosisOf says what an analysis made of what was seen.
func diagnosisOf(seen *capture.Capture, a contention.Analysis) diagnosis {
	d := diagnosis{
		Schema: diagnosisSchema, Target: target(seen.Target), Window: seen.Trace.Window.Length(), Kernel: seen.Kernel,
		Findings: a.Findings, Totals: a.Totals, Loss: seen.Trace.Loss, Notes: seen.Notes,
	}
	if t := &seen.Trace; t.Shed.Waits > 0 {
		d.Shed = &shed{Waits: t.Shed.Waits, WaitTime: t.Shed.WaitTime, Told: t.Told()}
	}
	return d
}

// write prints d as one line of JSON, in which no list is null.
func (d diagnosis) write(w io.Writer) error {
	d.Findings = append([]contention.Finding{}, d.Findings...)
	for i := range d.Findings {
		f := &d.Findings[i]
		f.Culprits = listed(f.Culprits)
		f.Victims = listed(f.Victims)
		f.Chain = listed(f.Chain)
		f.Stacks = slices.Clone(listed(f.Stacks))
		for k := range f.Stacks {
			f.Stacks[k].Frames = listed(f.Stacks[k].Frames)
		}
	}
	if d.Totals.ByKind == nil {
		d.Totals.ByKind = map[contention.Kind]contention.KindTotal{}
	}
	return json.NewEncoder(w).Encode(d)
}

// listed is list, empty if it is nil.
func listed[S ~[]E, E any](list S) S {
	if list == nil {
		return S{}
	}
	return list
}
