// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/results"
)

func TestJudge(t *testing.T) {
	quiet := [2]float64{0.99, 1.01}
	times := func(low, at, high float64) *results.OverheadRatio {
		return &results.OverheadRatio{Ratio: at, CI: [2]float64{low, high}}
	}
	empty := results.OverheadLine{Workload: "w", Observer: Empty, Ratio: 1.07, CI: [2]float64{1.06, 1.08}, NoiseFloor: quiet}
	ours := results.OverheadLine{Workload: "w", Observer: Default, Ratio: 1.19, CI: [2]float64{1.18, 1.2}, NoiseFloor: quiet, TimesEmpty: times(2.5, 2.7, 2.9)}
	with := func(l results.OverheadLine, change func(*results.OverheadLine)) results.OverheadLine {
		change(&l)
		return l
	}
	for name, test := range map[string]struct {
		lines []results.OverheadLine
		want  Verdict
		says  string
	}{
		"below":              {[]results.OverheadLine{empty, ours}, Kept, "it adds 2.70 times what empty programs add (95 %: 2.50–2.90)"},
		"just":               {[]results.OverheadLine{empty, with(ours, func(l *results.OverheadLine) { l.TimesEmpty = times(2.5, 2.8, 3) })}, Kept, "2.80 times"},
		"only the upper end": {[]results.OverheadLine{empty, with(ours, func(l *results.OverheadLine) { l.TimesEmpty = times(2.5, 2.8, 3.01) })}, Exceeded, "2.50–3.01"},
		"above":              {[]results.OverheadLine{empty, with(ours, func(l *results.OverheadLine) { l.TimesEmpty = times(3.5, 4, 5) })}, Exceeded, "4.00 times"},
		"noise": {[]results.OverheadLine{empty, with(ours, func(l *results.OverheadLine) { l.NoiseFloor = [2]float64{0.95, 1.02} })},
			NotDecidable, "unobserved runs differ by 0.950–1.020, more than 0.05"},
		"empty within noise": {[]results.OverheadLine{with(empty, func(l *results.OverheadLine) { l.CI[0] = 1.005 }), ours},
			NotDecidable, "what empty programs add, 1.005–1.080, is not clear of the noise"},
		"no end":    {[]results.OverheadLine{empty, with(ours, func(l *results.OverheadLine) { l.TimesEmpty = nil })}, NotDecidable, "not clear of the noise"},
		"no empty":  {[]results.OverheadLine{ours}, NotDecidable, "were not measured"},
		"absent":    {[]results.OverheadLine{empty, {Workload: "w", Observer: Default, Absent: "no BTF"}}, NotDecidable, "were not measured"},
		"elsewhere": {[]results.OverheadLine{empty, with(ours, func(l *results.OverheadLine) { l.Workload = "v" })}, NotDecidable, "were not measured"},
	} {
		t.Run(name, func(t *testing.T) {
			rulings := Judge(test.lines, []Limit{{"w", 3}})
			require.Len(t, rulings, 1)
			assert.Equal(t, test.want, rulings[0].Verdict)
			assert.Contains(t, rulings[0].Reason, test.says)
			assert.Contains(t, rulings[0].String(), "w, at most 3 times: "+string(test.want)+": ")
		})
	}
	assert.Equal(t, []Limit{{"futex-pingpong", 3}, {"pipe-pingpong", 2}}, Limits())
}
