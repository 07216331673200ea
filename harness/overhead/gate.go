// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"fmt"
	"slices"

	"github.com/os2026/ebpf-rca/results"
)

// Limit is how many times what empty programs add our default mode may add.
type Limit struct {
	Workload string
	Times    float64
}

// Limits are those that the default mode is held to.
func Limits() []Limit {
	return []Limit{{"futex-pingpong", 3}, {"pipe-pingpong", 2}}
}

// Verdict is how a limit was kept.
type Verdict string

// The verdicts. What is not decidable is no failure.
const (
	Kept         Verdict = "kept"
	Exceeded     Verdict = "exceeded"
	NotDecidable Verdict = "not decidable"
)

// Ruling is the verdict on one limit, and why.
type Ruling struct {
	Limit
	Verdict Verdict
	Reason  string
}

// Judge holds the lines of a measurement against limits. The upper end of the interval
// counts.
func Judge(lines []results.OverheadLine, limits []Limit) []Ruling {
	rulings := make([]Ruling, len(limits))
	for i, l := range limits {
		rulings[i] = l.judge(lines)
	}
	return rulings
}

func (l Limit) judge(lines []results.OverheadLine) Ruling {
	ours, known := find(lines, l.Workload, Default)
	empty, measured := find(lines, l.Workload, Empty)
	switch {
	case !known || !measured:
		return l.undecided("the default mode or empty programs were not measured")
	case ours.TooNoisy():
		return l.undecided("unobserved runs differ by %.3f–%.3f, more than %.2f", ours.NoiseFloor[0], ours.NoiseFloor[1], results.NoiseLimit)
	case empty.CI[0] <= empty.NoiseFloor[1] || ours.TimesEmpty == nil:
		return l.undecided("what empty programs add, %.3f–%.3f, is not clear of the noise, %.3f–%.3f",
			empty.CI[0], empty.CI[1], empty.NoiseFloor[0], empty.NoiseFloor[1])
	}
	r := Ruling{Limit: l, Verdict: Kept, Reason: fmt.Sprintf("it adds %.2f times what empty programs add (95 %%: %.2f–%.2f)",
		ours.TimesEmpty.Ratio, ours.TimesEmpty.CI[0], ours.TimesEmpty.CI[1])}
	if ours.TimesEmpty.CI[1] > l.Times {
		r.Verdict = Exceeded
	}
	return r
}

func (l Limit) undecided(reason string, args ...any) Ruling {
	return Ruling{Limit: l, Verdict: NotDecidable, Reason: fmt.Sprintf(reason, args...)}
}

// find returns the line of an observer that has figures.
func find(lines []results.OverheadLine, workload, observer string) (results.OverheadLine, bool) {
	i := slices.IndexFunc(lines, func(l results.OverheadLine) bool {
		return l.Workload == workload && l.Observer == observer && l.Absent == ""
	})
	if i < 0 {
		return results.OverheadLine{}, false
	}
	return lines[i], true
}

func (r Ruling) String() string {
	return fmt.Sprintf("%s, at most %g times: %s: %s", r.Workload, r.Times, r.Verdict, r.Reason)
}
