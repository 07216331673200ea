// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"math"

	"github.com/os2026/ebpf-rca/contention"
)

const (
	// significance is the level at which a change counts, after Holm over scenarios.
	significance = 0.05
	// leastPaired is the share of the runs on either side that must have a pair, for what
	// has none to be left out.
	leastPaired = 0.9
	// leastBlameShift is by how much the median blame error must change to matter,
	// however sure it is that it does.
	leastBlameShift = 0.05
)

// RankMethod is that of a Change of blame errors.
const RankMethod Test = "mann-whitney"

// Change is a test of a figure against that of the base.
type Change struct {
	// Method is McNemarTest where the seeds agree, FisherTest where they do not,
	// RankMethod for blame errors, and empty where there was nothing to test.
	Method Test `json:"method,omitempty"`
	// Runs are those tested of the base and of this column. Runs at doses that the other
	// does not have are not among them.
	Runs [2]int `json:"runs,omitzero"`
	// P is two-sided, Adjusted the same after Holm over the scenarios of a column.
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_adjusted"`
	// Worse and Better say which way it points; neither is set where nothing changed, or
	// not enough to matter.
	Worse  bool `json:"worse"`
	Better bool `json:"better"`
	// Shift is by how much the figure changed, with its 95 % interval: of a share by
	// Newcombe, as if runs were not in pairs, and of the median blame error by bootstrap.
	Shift Shift `json:"shift,omitzero"`

	before float64 // the share of the base, and
	level  float64 // the least that Holm leaves for P to be below
}

// Significant reports whether c is a loss that chance does not explain.
func (c Change) Significant() bool { return c.Worse && c.unlikely() }

// Gain reports whether c is a gain that chance does not explain.
func (c Change) Gain() bool { return c.Better && c.unlikely() }

func (c Change) unlikely() bool { return c.Method != "" && c.Adjusted < significance }

// points renders the shift in percentage points.
func (c Change) points() string {
	return fmt.Sprintf("%+.1f [%+.1f,%+.1f] points", 100*c.Shift.Value, 100*c.Shift.Low, 100*c.Shift.High)
}

// pairing is what makes two runs a pair: everything but the folder.
type pairing struct {
	variant contention.Variant
	seed    uint64
	dose    contention.Dose
}

// outcomes says of each valid run kept whether its verdict is v.
func outcomes(records []Record, keep func(Record) bool, v Verdict) map[pairing]bool {
	out := map[pairing]bool{}
	for _, r := range valid(records, keep) {
		out[pairing{r.Variant, r.Seed, r.Dose}] = r.Verdict == v
	}
	return out
}

// testShare compares how often something happened before and after; wanted says whether
// it is good when it does.
func testShare(before, after map[pairing]bool, wanted bool) Change {
	before, after = atDosesOf(before, after), atDosesOf(after, before)
	if len(before) == 0 || len(after) == 0 {
		return Change{}
	}
	method := FisherTest
	if common := pairsOf(before, after); float64(len(common)) >= leastPaired*float64(max(len(before), len(after))) {
		method = McNemarTest
		before, after = pairsOf(before, after), pairsOf(after, before)
	}
	was, is := count(before), count(after)
	c := Change{Method: method, Runs: [2]int{len(before), len(after)}}
	if method == McNemarTest {
		c.P = McNemar(changed(before, after))
	} else {
		c.P = Fisher(was, len(before), is, len(after))
	}
	from := Wilson(float64(was), len(before))
	c.before, c.Shift = from.Value, Newcombe(Wilson(float64(is), len(after)), from)
	difference := is*len(before) - was*len(after)
	if !wanted {
		difference = -difference
	}
	c.Worse, c.Better = difference < 0, difference > 0
	return c
}

// atDosesOf keeps the runs at variants and doses that others have too: shares over
// different doses differ for that alone.
func atDosesOf(runs, others map[pairing]bool) map[pairing]bool {
	type kind struct {
		variant contention.Variant
		dose    contention.Dose
	}
	known := map[kind]bool{}
	for key := range others {
		known[kind{key.variant, key.dose}] = true
	}
	out := map[pairing]bool{}
	for key, yes := range runs {
		if known[kind{key.variant, key.dose}] {
			out[key] = yes
		}
	}
	return out
}

// pairsOf keeps the runs that have their pair in others.
func pairsOf(runs, others map[pairing]bool) map[pairing]bool {
	out := map[pairing]bool{}
	for key, yes := range runs {
		if _, ok := others[key]; ok {
			out[key] = yes
		}
	}
	return out
}

// changed counts the pairs in which something happened only before, and only after.
func changed(before, after map[pairing]bool) (lost, won int) {
	for key, was := range before {
		switch is := after[key]; {
		case was && !is:
			lost++
		case is && !was:
			won++
		}
	}
	return lost, won
}

func count(outcomes map[pairing]bool) int {
	n := 0
	for _, yes := range outcomes {
		if yes {
			n++
		}
	}
	return n
}

// testBlame compares how wrong the blame of the culprits was, in valid faults at doses
// that both have.
func testBlame(before, after []Record) Change {
	was, is := blameErrors(before, after), blameErrors(after, before)
	shift, err := MedianShift(is, was)
	if err != nil {
		return Change{}
	}
	ranks := MannWhitney(is, was)
	c := Change{Method: RankMethod, Runs: [2]int{len(was), len(is)}, P: ranks.P, Shift: shift}
	if matters := math.Abs(shift.Value) >= leastBlameShift; matters {
		c.Worse, c.Better = ranks.Greater > 0.5, ranks.Greater < 0.5
	}
	return c
}

func blameErrors(records, others []Record) []float64 {
	doses := map[contention.Dose]bool{}
	for _, r := range valid(others, isFault) {
		doses[r.Dose] = true
	}
	var errors []float64
	for _, r := range valid(records, isFault) {
		if r.Blame.True > 0 && doses[r.Dose] {
			errors = append(errors, r.Blame.Error)
		}
	}
	return errors
}
