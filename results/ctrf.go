// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// What follows are the parts of the Common Test Report Format (ctrf.io) that a folder
// has something for. Instants and spans are in milliseconds.

const ctrfVersion = "0.1.0"

type ctrfReport struct {
	Format  string      `json:"reportFormat"`
	Version string      `json:"specVersion"`
	Results ctrfResults `json:"results"`
}

type ctrfResults struct {
	Tool        ctrfTool        `json:"tool"`
	Summary     ctrfSummary     `json:"summary"`
	Tests       []ctrfTest      `json:"tests"`
	Environment ctrfEnvironment `json:"environment"`
}

type ctrfTool struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type ctrfSummary struct {
	Tests   int   `json:"tests"`
	Passed  int   `json:"passed"`
	Failed  int   `json:"failed"`
	Skipped int   `json:"skipped"`
	Pending int   `json:"pending"`
	Other   int   `json:"other"`
	Suites  int   `json:"suites"`
	Start   int64 `json:"start"`
	Stop    int64 `json:"stop"`
}

type ctrfTest struct {
	Name      string   `json:"name"`
	Status    string   `json:"status"`
	Duration  int64    `json:"duration"`
	Suite     []string `json:"suite"`
	Message   string   `json:"message,omitempty"`
	RawStatus string   `json:"rawStatus"`
	Retries   int      `json:"retries,omitempty"`
}

type ctrfEnvironment struct {
	Commit     string `json:"commit,omitempty"`
	OSPlatform string `json:"osPlatform,omitempty"`
	OSRelease  string `json:"osRelease,omitempty"`
	OSVersion  string `json:"osVersion,omitempty"`
}

// WriteCTRF exports the runs of the first analyser in the Common Test Report Format: a
// suite a scenario, a test a run. The format has no status for what JUnit calls an error:
// that is failed too, so that it cannot pass for a success, and rawStatus is the verdict.
// The start is that of the run's id, the
// stop as much later as all runs took.
func WriteCTRF(w io.Writer, f *Folder) error {
	report := ctrfReport{Format: "CTRF", Version: ctrfVersion, Results: ctrfResults{
		Tool:  ctrfTool{Name: "ebpf-rca", Version: f.Env.ToolVersion},
		Tests: []ctrfTest{},
		Environment: ctrfEnvironment{
			Commit: f.Env.ToolCommit, OSPlatform: "linux", OSRelease: f.Env.KernelRelease, OSVersion: f.Env.Distribution,
		},
	}}
	summary := &report.Results.Summary
	summary.Suites = len(f.Plan.Scenarios())
	var took time.Duration
	for _, r := range f.Select("", f.firstAnalyzer()) {
		test := newCTRFTest(r, f.Plan.Swept())
		report.Results.Tests = append(report.Results.Tests, test)
		summary.count(test)
		took += r.Timing.total()
	}
	if begin, ok := f.Plan.Start(); ok {
		summary.Start = begin.UnixMilli()
	}
	summary.Stop = summary.Start + took.Milliseconds()
	data, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		return fmt.Errorf("encode CTRF: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s\n", data); err != nil {
		return fmt.Errorf("write CTRF: %w", err)
	}
	return nil
}

// newCTRFTest goes by the case that the run is in JUnit.
func newCTRFTest(r Record, swept bool) ctrfTest {
	c := newCase(r, swept)
	t := ctrfTest{
		Name:      c.Name,
		Status:    "passed",
		Duration:  r.Timing.total().Milliseconds(),
		Suite:     []string{r.Scenario},
		RawStatus: string(r.Verdict),
		Retries:   len(r.Dropped),
	}
	switch {
	case c.Failure != nil || c.Error != nil:
		t.Status, t.Message = "failed", explain(r)
	case c.Skipped != nil:
		t.Status, t.Message = "skipped", explain(r)
	}
	return t
}

func (s *ctrfSummary) count(t ctrfTest) {
	s.Tests++
	switch t.Status {
	case "passed":
		s.Passed++
	case "skipped":
		s.Skipped++
	default:
		s.Failed++
	}
}

// firstAnalyzer is the one that decides the outcome, empty if there is none.
func (f *Folder) firstAnalyzer() string {
	if len(f.Plan.Analyzers) == 0 {
		return ""
	}
	return f.Plan.Analyzers[0]
}

// Start is when the plan was made, by its id.
func (p Plan) Start() (time.Time, bool) {
	stamp, _, _ := strings.Cut(p.RunID, "-")
	begin, err := time.Parse(runIDTime, stamp)
	return begin, err == nil
}

func (t Timing) total() time.Duration { return t.Setup + t.Capture + t.Analyse }
