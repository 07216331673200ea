// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ReferenceSchema is the schema of a file of reference results.
const ReferenceSchema = "ebpf-rca/reference/1"

// Reference is what one build made of the catalogue on several kernels, small enough to be
// kept beside the source.
type Reference struct {
	Schema     string            `json:"schema"`
	ToolCommit string            `json:"tool_commit,omitempty"`
	Kernels    []ReferenceKernel `json:"kernels"` // the oldest first
}

// ReferenceKernel is what the first analyser made of the catalogue on one kernel.
type ReferenceKernel struct {
	Release     string `json:"release"`
	Accel       string `json:"accel,omitempty"`
	ClockSource string `json:"clock_source,omitempty"`
	Preemption  string `json:"preemption,omitempty"`
	CPUs        int    `json:"cpus,omitempty"`
	// Planned runs are those of all scenarios; Unsupported and Void do not enter accuracy.
	Planned     int `json:"planned"`
	Unsupported int `json:"unsupported"`
	Void        int `json:"void"`
	// Scenarios are counts by name.
	Scenarios map[string]ReferenceCell `json:"scenarios"`
}

// ReferenceCell counts the valid runs of a scenario on a kernel.
type ReferenceCell struct {
	Hits   int `json:"hits"`
	Faults int `json:"faults"`
	Frames int `json:"frames"` // hits that show the function, too
	Alarms int `json:"alarms"`
	Quiet  int `json:"quiet"` // twins and controls
}

// ReferenceOf reduces the folders of kernels.
func ReferenceOf(folders []*Folder) Reference {
	r := Reference{Schema: ReferenceSchema, Kernels: []ReferenceKernel{}}
	for _, f := range folders {
		if r.ToolCommit == "" {
			r.ToolCommit = f.Env.ToolCommit
		}
		r.Kernels = append(r.Kernels, referenceKernel(f))
	}
	slices.SortStableFunc(r.Kernels, func(a, b ReferenceKernel) int {
		x, _ := ParseKernel(a.Release)
		y, _ := ParseKernel(b.Release)
		return x.Compare(y)
	})
	return r
}

func referenceKernel(f *Folder) ReferenceKernel {
	k := ReferenceKernel{
		Release: f.Env.KernelRelease, Accel: f.Env.Accel, ClockSource: f.Env.ClockSource,
		Preemption: f.Env.Preemption, CPUs: f.Env.CPUs, Scenarios: map[string]ReferenceCell{},
	}
	for _, r := range f.Select("", f.Plan.Analyzers[0]) {
		k.Planned++
		switch {
		case r.Verdict == Unsupported:
			k.Unsupported++
		case !r.Verdict.Valid():
			k.Void++
		default:
			cell := k.Scenarios[r.Scenario]
			cell.count(r)
			k.Scenarios[r.Scenario] = cell
		}
	}
	return k
}

func (c *ReferenceCell) count(r Record) {
	if !isFault(r) {
		c.Quiet++
		if r.Verdict == FalseAlarm {
			c.Alarms++
		}
		return
	}
	c.Faults++
	if r.Verdict == Hit {
		c.Hits++
		if r.Ranks.Frame == 1 {
			c.Frames++
		}
	}
}

// all is the sum over all scenarios.
func (k ReferenceKernel) all() ReferenceCell {
	var sum ReferenceCell
	for _, c := range k.Scenarios {
		sum.Hits += c.Hits
		sum.Faults += c.Faults
		sum.Frames += c.Frames
		sum.Alarms += c.Alarms
		sum.Quiet += c.Quiet
	}
	return sum
}

// WriteReference writes r as JSON, a kernel a line.
func WriteReference(w io.Writer, r Reference) error {
	var b bytes.Buffer
	head, err := json.Marshal(r.ToolCommit)
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "{\"schema\":%q,\"tool_commit\":%s,\"kernels\":[\n", ReferenceSchema, head)
	for i, k := range r.Kernels {
		line, err := json.Marshal(k)
		if err != nil {
			return fmt.Errorf("encode kernel %s: %w", k.Release, err)
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		b.Write(line)
	}
	b.WriteString("\n]}\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write reference results: %w", err)
	}
	return nil
}

// ReadReference reads what WriteReference wrote.
func ReadReference(r io.Reader) (Reference, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxLine))
	if err != nil {
		return Reference{}, fmt.Errorf("read reference results: %w", err)
	}
	if err := checkSchema(data, ReferenceSchema); err != nil {
		return Reference{}, fmt.Errorf("read reference results: %w", err)
	}
	var ref Reference
	if err := json.Unmarshal(data, &ref); err != nil {
		return Reference{}, fmt.Errorf("read reference results: %w", err)
	}
	return ref, nil
}

// Markdown is a table with a line for each kernel.
func (r Reference) Markdown() string {
	var b strings.Builder
	b.WriteString("| kernel | culprit first | its function | accused without cause | unsupported | not counted |\n|---|---|---|---|---|---|\n")
	for _, k := range r.Kernels {
		all := k.all()
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d | %d of %d |\n", k.Release, fraction(all.Hits, all.Faults),
			fraction(all.Frames, all.Faults), fraction(all.Alarms, all.Quiet), k.Unsupported, k.Void, k.Planned)
	}
	return b.String()
}

func fraction(n, of int) string {
	if of == 0 {
		return "-"
	}
	p := Wilson(float64(n), of)
	return fmt.Sprintf("%d/%d [%.2f, %.2f]", n, of, p.Low, p.High)
}
