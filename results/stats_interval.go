// SPDX-License-Identifier: Apache-2.0

package results

import "math"

// ClopperPearson returns the exact 95 % interval of a share of hits in n runs: the
// rates that the runs do not refute at 2.5 % on either side. It is never too narrow, and
// so wider than that of Wilson.
func ClopperPearson(hits, n int) Proportion {
	if n <= 0 {
		return Proportion{}
	}
	p := Proportion{Value: float64(hits) / float64(n), High: 1, N: n}
	if hits > 0 {
		p.Low = rateAt(func(rate float64) float64 { return binomialTail(hits, n, rate) })
	}
	if hits < n {
		p.High = 1 - rateAt(func(rate float64) float64 { return binomialTail(n-hits, n, rate) })
	}
	return p
}

// rateAt returns the rate at which a tail, which grows with it, is 2.5 %.
func rateAt(tail func(rate float64) float64) float64 {
	const halvings = 50 // to within 1e-15
	low, high := 0.0, 1.0
	for range halvings {
		if mid := (low + high) / 2; tail(mid) < 0.025 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// binomialTail is the probability of at least k hits in n runs.
func binomialTail(k, n int, rate float64) float64 {
	sum := 0.0
	for i := k; i <= n; i++ {
		sum += binomial(i, n, rate)
	}
	return min(sum, 1)
}

// binomial is the probability of exactly k hits in n runs.
func binomial(k, n int, rate float64) float64 {
	switch {
	case rate <= 0:
		return one(k == 0)
	case rate >= 1:
		return one(k == n)
	default:
		return math.Exp(lnChoose(n, k) + float64(k)*math.Log(rate) + float64(n-k)*math.Log1p(-rate))
	}
}

// Shift is by how much a figure differs from another, with its 95 % interval.
type Shift struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Newcombe returns by how much a share differs from another of other runs, with the
// interval made of both their Wilson intervals (method 10 of Newcombe, Statistics in
// Medicine 17, 1998). Both must have been measured. For runs in pairs it is, as a rule,
// too wide: pairs that agree are not counted for it.
func Newcombe(p, from Proportion) Shift {
	d := p.Value - from.Value
	return Shift{
		Value: d,
		Low:   d - math.Hypot(p.Value-p.Low, from.High-from.Value),
		High:  d + math.Hypot(p.High-p.Value, from.Value-from.Low),
	}
}
