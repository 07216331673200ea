// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"errors"
	"fmt"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

const defaultPairs = 10

// OverheadOptions says what is measured. Observer and Scenario are required.
type OverheadOptions struct {
	Stage
	Observer Observer
	Scenario scenarios.Scenario
	Variant  contention.Variant
	Seed     uint64
	Dose     contention.Dose
	// Pairs of an unobserved and an observed run, made even; 0 is 10.
	Pairs int
	// Progress, if there is one, is told how many runs of all have been made.
	Progress func(done, total int)
}

// OverheadResult is what observing costs.
type OverheadResult struct {
	results.Overhead
	// NoiseFloor is the interval of the ratio of unobserved runs to one another:
	// what lies inside it is noise.
	NoiseFloor [2]float64
	// Loss is that of all observed runs.
	Loss contention.Loss
}

// MeasureOverhead plays one workload with one seed, unobserved (A) and observed (B)
// in the order A B B A, as often as it takes.
//
// The ratio is that of the CPU time a unit of work takes, observed to unobserved:
// the work done for one CPU second unobserved over that done observed. What an eBPF
// program uses is charged to the thread it runs in and so is in it. Elapsed time is
// not, for on a machine with other load it measures that load. The two A of a block
// are a pair for the noise floor.
func MeasureOverhead(ctx context.Context, o OverheadOptions) (OverheadResult, error) {
	if o.Observer == nil {
		return OverheadResult{}, errors.New("measure overhead: no observer")
	}
	m := overheadMeasurement{OverheadOptions: o}
	for block := range m.blocks() {
		if err := m.block(ctx, block); err != nil {
			return OverheadResult{}, fmt.Errorf("measure overhead: %w", err)
		}
	}
	result, err := m.result()
	if err != nil {
		return OverheadResult{}, fmt.Errorf("measure overhead: %w", err)
	}
	return result, nil
}

type overheadMeasurement struct {
	OverheadOptions
	runs  int
	pairs []results.Pair
	noise []results.Pair
	costs []results.Overhead
	loss  contention.Loss
}

func (m *overheadMeasurement) blocks() int {
	pairs := m.Pairs
	if pairs <= 0 {
		pairs = defaultPairs
	}
	return (pairs + 1) / 2
}

// block plays A B B A.
func (m *overheadMeasurement) block(ctx context.Context, n int) error {
	var cost [4]float64
	for i, observer := range []Observer{nil, m.Observer, m.Observer, nil} {
		var err error
		if cost[i], err = m.run(ctx, observer); err != nil {
			return err
		}
	}
	m.pairs = append(m.pairs, results.Pair{Over: cost[1], Under: cost[0]}, results.Pair{Over: cost[2], Under: cost[3]})
	noise := results.Pair{Over: cost[3], Under: cost[0]}
	if n%2 == 1 { // a drift shall not pass for a difference
		noise.Over, noise.Under = noise.Under, noise.Over
	}
	m.noise = append(m.noise, noise)
	return nil
}

// run plays once and returns the CPU time that a unit of work took, in nanoseconds.
func (m *overheadMeasurement) run(ctx context.Context, observer Observer) (float64, error) {
	run := results.Run{Scenario: m.Scenario.Name, Variant: m.Variant, Seed: m.Seed, Dose: m.Dose}
	p, err := m.play(ctx, m.Scenario, run, observer)
	if err != nil {
		return 0, err
	}
	work := p.account.sums.Operations
	switch {
	case !p.ledger.Complete():
		return 0, errors.New("the workload was cut short")
	case work == 0 || p.cpu <= 0:
		return 0, fmt.Errorf("nothing to measure: %d operations in %v of CPU time", work, p.cpu)
	}
	if observer != nil {
		m.costs = append(m.costs, p.cost)
		m.addLoss(p.trace)
	}
	m.runs++
	if m.Progress != nil {
		m.Progress(m.runs, 4*m.blocks())
	}
	return float64(p.cpu) / float64(work), nil
}

func (m *overheadMeasurement) addLoss(t *contention.Trace) {
	if t == nil {
		return
	}
	m.loss = m.loss.Plus(t.Loss)
}

func (m *overheadMeasurement) result() (OverheadResult, error) {
	ratio, err := results.RatioCI(m.pairs)
	if err != nil {
		return OverheadResult{}, err
	}
	noise, err := results.RatioCI(m.noise)
	if err != nil {
		return OverheadResult{}, err
	}
	r := OverheadResult{Overhead: meanCost(m.costs), NoiseFloor: [2]float64{noise.Low, noise.High}, Loss: m.loss}
	r.Ratio, r.CI, r.Pairs = ratio.Value, [2]float64{ratio.Low, ratio.High}, ratio.N
	return r, nil
}

// meanCost is the mean of what runs cost; events are those of all runs.
func meanCost(costs []results.Overhead) results.Overhead {
	mean := results.Overhead{}
	for _, c := range costs {
		mean.Events += c.Events
		mean.CPUShare += c.CPUShare / float64(len(costs))
		for program, ns := range c.NsPerEvent {
			if mean.NsPerEvent == nil {
				mean.NsPerEvent = map[string]float64{}
			}
			mean.NsPerEvent[program] += ns / float64(len(costs))
		}
	}
	return mean
}
