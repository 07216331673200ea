// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"

	"github.com/os2026/ebpf-rca/results"
)

// page is all that is shown.
type page struct {
	Folders []folder
	Broken  []Input
	// Kernels, Differences and Versus are of several folders.
	Kernels     *grid
	Differences *environments
	Versus      string  // the analyser compared
	Drop        float64 // the change that is ruled out where a scenario is unchanged
	Apart       string  // why folders are not compared
}

// environments lists in what folders differ that are compared.
type environments struct {
	Columns []results.Column
	Rows    []results.Difference
}

// folder is one result folder.
type folder struct {
	Number     int
	Kernel     string
	RunID      string
	Machine    []results.Property
	Outcome    outcome
	Incomplete bool
	Warnings   []string
	// Doubts are the reasons not to believe the figures that Outcome does not give.
	Doubts      []string
	Figures     figures
	Verdicts    verdicts
	Grid        grid
	Calibration []calibration
	Head        []headline
	Responses   []response
	Thresholds  []threshold
	Overhead    []overheadRow
	Analyzers   []string
	Runs        runs
}

// outcome is how a run ended.
type outcome struct {
	Mark    mark
	Reasons []string
}

func newPage(inputs []Input, o Options) page {
	var p page
	for _, in := range inputs {
		if in.Err != nil {
			p.Broken = append(p.Broken, in)
		}
	}
	folders := readable(inputs)
	room := drawingRoom
	for i, f := range oldestFirst(folders) {
		view := newFolder(f)
		view.Number = i + 1
		draw := renderer{folder: f, number: i + 1, choice: cmp.Or(o.Timelines, Failures), room: room}
		view.Runs = draw.runs()
		room = draw.room
		p.Folders = append(p.Folders, view)
	}
	if len(folders) > 1 {
		p.compare(folders)
	}
	return p
}

// compare sets folders against the first that was named, by an analyser that all of them have.
func (p *page) compare(folders []*results.Folder) {
	p.Versus = inAll(folders)
	if p.Versus == "" {
		p.Apart = "The folders are not compared: no analyser is in all of them."
		return
	}
	c, err := results.Compare(folders, results.CompareOptions{Analyzer: p.Versus})
	if err != nil {
		p.Apart = "The folders are not compared: " + err.Error()
		return
	}
	g := byKernel(c, func(scenario string) int {
		seeds := 0
		for _, f := range folders {
			seeds = max(seeds, f.Plan.Count(scenario))
		}
		return seeds
	})
	p.Kernels, p.Drop = &g, c.Drop
	if len(c.Differences) > 0 {
		p.Differences = &environments{Columns: c.Columns, Rows: c.Differences}
	}
}

// inAll is the first analyser of the first folder that every other has, too.
func inAll(folders []*results.Folder) string {
	for _, name := range folders[0].Plan.Analyzers {
		if !slices.ContainsFunc(folders, func(f *results.Folder) bool { return !slices.Contains(f.Plan.Analyzers, name) }) {
			return name
		}
	}
	return ""
}

func newFolder(f *results.Folder) folder {
	scores := results.Score(f)
	lines, warnings := overheadOf(f)
	view := folder{
		Kernel: kernelText(f.Env.KernelRelease), RunID: f.Plan.RunID,
		Machine: f.Env.Properties(), Outcome: newOutcome(scores.Outcome()),
		Incomplete: f.Incomplete, Warnings: slices.Concat(f.Warnings, warnings),
		Doubts:  scores.DoubtsBeside(scores.Outcome()),
		Figures: newFigures(scores), Verdicts: newVerdicts(f, scores), Grid: byAnalyzer(scores),
		Overhead: newOverhead(lines), Analyzers: f.Plan.Analyzers, Head: headlines(scores),
		Calibration: newCalibrations(scores.Calibrations),
	}
	if len(f.Plan.Analyzers) > 0 {
		view.Responses = responses(f, f.Plan.Analyzers[0])
		view.Thresholds = families(scores.Thresholds, f.Plan.Analyzers[0])
	}
	return view
}

func newOutcome(o results.Outcome) outcome {
	marks := map[int]mark{
		results.ExitGood:    {"✓", "good", "good"},
		results.ExitBelow:   {"✗", "below the threshold", "bad"},
		results.ExitInfra:   {"?", "runs are lost, broken or invalid", "warn"},
		results.ExitNothing: {"–", "nothing could be graded", "none"},
	}
	return outcome{Mark: marks[o.Code], Reasons: o.Reasons}
}
