// SPDX-License-Identifier: Apache-2.0

package results

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// resamples is how many times an interval is drawn.
const resamples = 2000

// Pair is one measurement of a ratio: Over and Under were measured next to each
// other. For overhead that is the work done unobserved over that done observed.
type Pair struct {
	Over, Under float64
}

// Ratio is a typical ratio with its 95 % interval.
type Ratio struct {
	Value, Low, High float64
	N                int
}

// RatioCI returns exp(median ln ratio) of the pairs with the percentile interval of
// its bootstrap. The same pairs always give the same interval.
func RatioCI(pairs []Pair) (Ratio, error) {
	logs, err := logRatios(pairs)
	if err != nil {
		return Ratio{}, err
	}
	median, _ := Quantile(logs, 0.5)
	draws := bootstrapMedians(logs)
	low, _ := Quantile(draws, 0.025)
	high, _ := Quantile(draws, 0.975)
	return Ratio{Value: math.Exp(median), Low: math.Exp(low), High: math.Exp(high), N: len(pairs)}, nil
}

// AddedTimes returns how many times what some pairs add (their ratio less one) others
// add, with the percentile interval of the bootstrap. Those of the same place were
// measured together, and are drawn together. The interval has no end where what is to be
// added to may be nothing.
func AddedTimes(pairs, others []Pair) (Ratio, error) {
	if len(pairs) != len(others) {
		return Ratio{}, fmt.Errorf("%d pairs were not measured together with %d", len(pairs), len(others))
	}
	over, err := logRatios(pairs)
	if err != nil {
		return Ratio{}, err
	}
	under, err := logRatios(others)
	if err != nil {
		return Ratio{}, err
	}
	draws := bootstrapTimes(over, under)
	r := Ratio{Value: addedTimes(slices.Clone(over), slices.Clone(under)), N: len(pairs)}
	r.Low, r.High = sortedQuantile(draws, 0.025), sortedQuantile(draws, 0.975)
	return r, nil
}

func bootstrapTimes(over, under []float64) []float64 {
	random := rand.New(rand.NewPCG(3, uint64(len(over))))
	a, b := make([]float64, len(over)), make([]float64, len(under))
	draws := make([]float64, resamples)
	for i := range draws {
		for j := range a {
			k := random.IntN(len(over))
			a[j], b[j] = over[k], under[k]
		}
		draws[i] = addedTimes(a, b)
	}
	slices.Sort(draws)
	return draws
}

// addedTimes sorts the logarithms that it is given.
func addedTimes(over, under []float64) float64 {
	added, other := math.Expm1(sortMedian(over)), math.Expm1(sortMedian(under))
	if other <= 0 {
		return math.Inf(1)
	}
	return added / other
}

func logRatios(pairs []Pair) ([]float64, error) {
	if len(pairs) == 0 {
		return nil, errors.New("ratio of no pairs")
	}
	logs := make([]float64, len(pairs))
	for i, p := range pairs {
		ratio := p.Over / p.Under
		if !(p.Over > 0 && p.Under > 0) || math.IsInf(ratio, 0) || ratio == 0 {
			return nil, fmt.Errorf("ratio of pair %d: %v over %v has no logarithm", i, p.Over, p.Under)
		}
		logs[i] = math.Log(ratio)
	}
	return logs, nil
}

func bootstrapMedians(values []float64) []float64 {
	random := rand.New(rand.NewPCG(1, uint64(len(values))))
	draw := make([]float64, len(values))
	medians := make([]float64, resamples)
	for i := range medians {
		medians[i] = sortMedian(redraw(random, draw, values))
	}
	return medians
}

// MedianShift returns by how much the median of values differs from that of others, with
// the percentile interval of the bootstrap in which each side is drawn by itself. The same
// values always give the same interval.
func MedianShift(values, others []float64) (Shift, error) {
	if len(values) == 0 || len(others) == 0 {
		return Shift{}, errors.New("difference of no values")
	}
	random := rand.New(rand.NewPCG(2, uint64(len(values))<<32|uint64(len(others))))
	a, b := make([]float64, len(values)), make([]float64, len(others))
	draws := make([]float64, resamples)
	for i := range draws {
		draws[i] = sortMedian(redraw(random, a, values)) - sortMedian(redraw(random, b, others))
	}
	slices.Sort(draws)
	return Shift{
		Value: sortMedian(slices.Clone(values)) - sortMedian(slices.Clone(others)),
		Low:   sortedQuantile(draws, 0.025), High: sortedQuantile(draws, 0.975),
	}, nil
}

// redraw fills draw from values, each of which may come several times.
func redraw(random *rand.Rand, draw, values []float64) []float64 {
	for i := range draw {
		draw[i] = values[random.IntN(len(values))]
	}
	return draw
}

func sortMedian(values []float64) float64 {
	slices.Sort(values)
	return sortedQuantile(values, 0.5)
}
