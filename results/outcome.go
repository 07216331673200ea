// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"slices"

	"github.com/os2026/ebpf-rca/contention"
)

// Exit codes of a command that has graded runs.
const (
	ExitGood    = 0
	ExitBelow   = 1 // a scenario fell below its threshold, or a gate failed
	ExitInfra   = 3 // lost, incomplete or broken runs, or too few valid ones
	ExitNothing = 4 // nothing could run here
)

const (
	leastValid   = 95 // in 100, of the runs of each variant of a scenario
	fewSeeds     = 3
	leastRecall  = 0.9
	mostAccusals = 0.02
)

// Outcome is an exit code and why.
type Outcome struct {
	Code    int
	Reasons []string
}

// Threshold returns the least share of hits and the largest share of false alarms
// at which a scenario played with count seeds is good: all and none up to three
// seeds, nine in ten and one in fifty above.
func Threshold(count int) (recall, far float64) {
	if count <= fewSeeds {
		return 1, 0
	}
	return leastRecall, mostAccusals
}

// Outcome judges the first analyser. Runs that broke come before accuracy, which
// cannot be trusted without them; the reasons name both. Where doses were varied, faults
// may be too weak to bite or to be found, and neither speaks against the run.
func (s Scores) Outcome() Outcome {
	if len(s.Overall) == 0 {
		return Outcome{Code: ExitNothing, Reasons: []string{"nothing was planned"}}
	}
	all := s.Overall[0]
	broken, below := s.broken(all), s.below(all.Analyzer)
	reasons := slices.Concat(broken, below)
	switch {
	case all.Verdicts[Unsupported] == all.Runs:
		return Outcome{Code: ExitNothing, Reasons: append([]string{"no run could be graded"}, reasons...)}
	case len(broken) > 0:
		return Outcome{Code: ExitInfra, Reasons: reasons}
	case len(below) > 0:
		return Outcome{Code: ExitBelow, Reasons: reasons}
	default:
		return Outcome{Code: ExitGood}
	}
}

// broken lists what makes the figures as a whole unfit.
func (s Scores) broken(all Summary) []string {
	var reasons []string
	if n := all.Verdicts[Lost]; n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d planned runs left no record", n, all.Runs))
	} else if s.Incomplete {
		reasons = append(reasons, "the plan was not carried out to its end")
	}
	if n := all.Verdicts[Infra]; n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d runs broke down", n, all.Runs))
	}
	for _, sum := range s.of(all.Analyzer) {
		for _, variant := range sortedKeys(sum.Variants) {
			v := sum.Variants[variant]
			valid := int(v.Value*float64(v.N) + 0.5)
			excused := s.Swept && variant == contention.FaultVariant
			if valid*100 < leastValid*v.N && !excused {
				reasons = append(reasons, fmt.Sprintf("%s: %d of %d %s runs are valid, under %d %%", sum.Scenario, valid, v.N, variant, leastValid))
			}
		}
	}
	return reasons
}

// below lists the scenarios that miss their threshold.
func (s Scores) below(analyzer string) []string {
	var reasons []string
	for _, sum := range s.of(analyzer) {
		recall, far := Threshold(sum.Count)
		if sum.Recall.N > 0 && sum.Recall.Value < recall && !s.Swept {
			reasons = append(reasons, fmt.Sprintf("%s: %d of %d faults were found, under %.0f %%",
				sum.Scenario, sum.Verdicts[Hit], sum.Recall.N, 100*recall))
		}
		if sum.FAR.N > 0 && sum.FAR.Value > far {
			reasons = append(reasons, fmt.Sprintf("%s: %d of %d runs without a culprit accused somebody, above %.0f %%",
				sum.Scenario, sum.Verdicts[FalseAlarm], sum.FAR.N, 100*far))
		}
	}
	return reasons
}

// of returns the summaries of one analyser by scenario.
func (s Scores) of(analyzer string) []Summary {
	var list []Summary
	for _, sum := range s.Scenarios {
		if sum.Analyzer == analyzer {
			list = append(list, sum)
		}
	}
	return list
}
