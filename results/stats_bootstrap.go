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
		for j := range draw {
			draw[j] = values[random.IntN(len(values))]
		}
		slices.Sort(draw)
		medians[i] = sortedQuantile(draw, 0.5)
	}
	return medians
}
