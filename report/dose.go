// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// response is how the share of faults found grows with the dose, of one scenario and
// analyser.
type response struct {
	Scenario string
	Chart    chart
	// Thresholds are those of each line of the chart.
	Thresholds []threshold
	Table      []dosed
}

// dosed is the share found with one dose.
type dosed struct {
	Dose  string
	Found results.Proportion
}

// responses draws each scenario of which faults of several doses are valid.
func responses(f *results.Folder, analyzer string) []response {
	var list []response
	for _, scenario := range f.Plan.Scenarios() {
		found := map[contention.Dose][2]int{} // hits, valid faults
		for _, r := range f.Select(scenario, analyzer) {
			if r.Variant != contention.FaultVariant || !r.Verdict.Valid() {
				continue
			}
			n := found[r.Dose]
			if r.Verdict == results.Hit {
				n[0]++
			}
			n[1]++
			found[r.Dose] = n
		}
		if len(found) > 1 {
			r := newResponse(scenario, found)
			r.Thresholds = crowds(results.ScenarioThresholds(f, scenario, analyzer))
			list = append(list, r)
		}
	}
	return list
}

// apart is how far points of different series stand side by side.
const apart = 9

func newResponse(scenario string, found map[contention.Dose][2]int) response {
	holds, crowds := axes(found)
	places := spans(holds)
	r := response{Scenario: scenario, Chart: chart{
		Title: "Faults of " + scenario + " found, by dose", X: "hold time", Y: "faults found", XTicks: places,
	}}
	for i, crowd := range crowds {
		s := series{Name: crowdText(crowd), Shape: i % shapes}
		for j, hold := range holds {
			dose := crowd
			dose.Hold = hold
			count, ok := found[dose]
			if !ok {
				continue
			}
			p := results.Wilson(float64(count[0]), count[1])
			s.Points = append(s.Points, point{
				X: places[j].At + apart*(2*i-len(crowds)+1)/2, Y: upward(p.Value), Low: upward(p.Low), High: upward(p.High),
				Text: fmt.Sprintf("%s: found %s of %d", doseText(dose), p, p.N),
			})
			r.Table = append(r.Table, dosed{doseText(dose), p})
		}
		s.Line = join(s.Points)
		r.Chart.Series = append(r.Chart.Series, s)
	}
	return r
}

// axes lists the different hold times and, as doses without one, the different numbers of
// contenders and of threads of noise, in order.
func axes(found map[contention.Dose][2]int) (holds []time.Duration, crowds []contention.Dose) {
	for dose := range found {
		holds = append(holds, dose.Hold)
		dose.Hold = 0
		crowds = append(crowds, dose)
	}
	slices.Sort(holds)
	slices.SortFunc(crowds, func(a, b contention.Dose) int {
		return cmp.Or(cmp.Compare(a.Noise, b.Noise), cmp.Compare(a.Contenders, b.Contenders))
	})
	return slices.Compact(holds), slices.Compact(crowds)
}
