// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// Noise is the program of workload/ that is played beside another where a dose has
// noise: a control of as many threads as it has contenders, which lasts until its
// standard input is closed.
const Noise = "noise"

const (
	// sweptNoise is how many threads of noise there are where there is any. They switch
	// some thousand times a second and take about 15 % of one CPU, so little that runs
	// remain trusted.
	sweptNoise = 32
	// leastHold is the shortest hold that a workload plays.
	leastHold = 100 * time.Microsecond
)

// holdFactors are by how much the hold time is more or less than the one declared first.
var holdFactors = []float64{1.0 / 64, 1.0 / 16, 1.0 / 4, 1, 4}

// crowds are numbers of contenders beside the one declared first.
var crowds = []int{2, 16}

// Sweep lists the doses at which to ask from which on the fault is found, the one
// declared first in front: hold times crossed with numbers of contenders, and again with
// noise. What no declared dose varies is not varied: it is not what makes the fault
// strong. Contenders stay within those declared, and a run has room for as many holds as
// any other.
func (s Scenario) Sweep() []contention.Dose {
	first := s.Doses[0]
	doses := []contention.Dose{first}
	add := func(d contention.Dose) {
		if !slices.Contains(doses, d) {
			doses = append(doses, d)
		}
	}
	for _, hold := range s.sweptHolds() {
		for _, n := range s.sweptContenders() {
			add(contention.Dose{Hold: hold, Contenders: n})
		}
		add(contention.Dose{Hold: hold, Contenders: first.Contenders, Noise: sweptNoise})
	}
	return doses
}

func (s Scenario) sweptHolds() []time.Duration {
	first := s.Doses[0].Hold
	if s.span(func(d contention.Dose) int { return int(d.Hold) }).alike() {
		return []time.Duration{first}
	}
	var holds []time.Duration
	for _, factor := range holdFactors {
		hold := time.Duration(float64(first) * factor)
		holds = append(holds, min(max(hold, leastHold), max(s.Duration/minRounds, first)))
	}
	return holds
}

func (s Scenario) sweptContenders() []int {
	declared := s.span(func(d contention.Dose) int { return d.Contenders })
	numbers := []int{s.Doses[0].Contenders}
	for _, n := range crowds {
		numbers = append(numbers, min(max(n, declared.least), declared.most))
	}
	return numbers
}

// span is what lies between the least and the most that doses have of something.
type span struct{ least, most int }

func (s span) alike() bool { return s.least == s.most }

func (s Scenario) span(of func(contention.Dose) int) span {
	values := make([]int, len(s.Doses))
	for i, d := range s.Doses {
		values[i] = of(d)
	}
	return span{slices.Min(values), slices.Max(values)}
}
