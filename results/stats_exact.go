// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"math"
	"slices"
)

// McNemar returns the exact two-sided p of paired outcomes that changed lost times
// for the worse and won times for the better.
func McNemar(lost, won int) float64 {
	n := lost + won
	tail := 0.0
	for k := range min(lost, won) + 1 {
		tail += math.Exp(lnChoose(n, k) - float64(n)*math.Ln2)
	}
	return min(2*tail, 1)
}

// Fisher returns the exact two-sided p that aHits of aRuns and bHits of bRuns come
// from one rate: the sum over all tables no likelier than this one.
func Fisher(aHits, aRuns, bHits, bRuns int) float64 {
	hits := aHits + bHits
	lnTotal := lnChoose(aRuns+bRuns, hits)
	probability := func(k int) float64 {
		return math.Exp(lnChoose(aRuns, k) + lnChoose(bRuns, hits-k) - lnTotal)
	}
	// Tables as likely as this one differ from it by rounding.
	limit := probability(aHits) * (1 + 1e-7)
	sum := 0.0
	for k := max(hits-bRuns, 0); k <= min(hits, aRuns); k++ {
		if p := probability(k); p <= limit {
			sum += p
		}
	}
	return min(sum, 1)
}

// Holm returns the p values adjusted for their number, in the order given: an
// adjusted value below a level is significant at that level for the family.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted := make([]float64, len(p))
	highest := 0.0
	for place, i := range order {
		highest = max(highest, min(p[i]*float64(len(p)-place), 1))
		adjusted[i] = highest
	}
	return adjusted
}

// lnChoose is the logarithm of n over k.
func lnChoose(n, k int) float64 {
	return lnFactorial(n) - lnFactorial(k) - lnFactorial(n-k)
}

func lnFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}
