// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// threshold is from which hold time on faults are found.
type threshold struct {
	Name       string // of the family or of the line
	Runs       int
	Half, Most results.Estimate
}

func newThreshold(name string, t results.DetectionThreshold) threshold {
	out := threshold{Name: name, Half: t.Half, Most: t.Most}
	for _, l := range t.Levels {
		out.Runs += l.Runs
	}
	return out
}

// families are the thresholds of an analyser over all numbers of contenders.
func families(list []results.DetectionThreshold, analyzer string) []threshold {
	var out []threshold
	for _, t := range list {
		if t.Analyzer == analyzer && t.Contenders == 0 {
			name := t.Family
			if t.Noise > 0 {
				name += ", " + plural(t.Noise, "thread") + " of noise"
			}
			out = append(out, newThreshold(name, t))
		}
	}
	return out
}

// crowds are the thresholds of one scenario, for each number of contenders and noise, in
// the order of the lines of its chart.
func crowds(list []results.DetectionThreshold) []threshold {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b results.DetectionThreshold) int {
		return cmp.Or(cmp.Compare(a.Noise, b.Noise), cmp.Compare(a.Contenders, b.Contenders))
	})
	var out []threshold
	for _, t := range list {
		out = append(out, newThreshold(crowdText(contention.Dose{Contenders: t.Contenders, Noise: t.Noise}), t))
	}
	return out
}

// boundText renders a hold time; < and > stand for what lies outside of those tried.
func boundText(b results.HoldBound) string {
	return map[results.Beyond]string{results.BelowLowest: "< ", results.NotReached: "> "}[b.Beyond] + duration(b.Hold)
}
