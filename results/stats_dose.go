// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// DoseLevel is how many of the runs at one dose were hits.
type DoseLevel struct {
	Dose float64
	Hits int
	Runs int
}

// doseFit is how the share of hits grows with the dose.
type doseFit struct {
	levels []DoseLevel // by dose, each with runs
	// A logistic curve over the logarithm of the dose, or
	logistic         bool
	intercept, slope float64
	// the rates of the levels, made to grow by pooling.
	rates []float64
}

// fitDoses fits a logistic curve by maximum likelihood. Where that has none, as misses
// and hits do not overlap, or where hits do not grow with the dose, it is the isotonic
// regression, between levels a straight line over the logarithm.
func fitDoses(levels []DoseLevel) doseFit {
	fit := doseFit{levels: slices.DeleteFunc(slices.Clone(levels), func(l DoseLevel) bool { return l.Runs == 0 })}
	slices.SortFunc(fit.levels, func(a, b DoseLevel) int { return cmp.Compare(a.Dose, b.Dose) })
	if !separable(fit.levels) {
		fit.intercept, fit.slope, fit.logistic = fitLogistic(fit.levels)
	}
	if fit.logistic = fit.logistic && fit.slope > 0; !fit.logistic {
		fit.rates = isotonic(fit.levels)
	}
	return fit
}

// separable reports whether one dose divides hits from misses, or there is only one of
// both: the curve would then be a step.
func separable(levels []DoseLevel) bool {
	lowHit, highHit := math.Inf(1), math.Inf(-1)
	lowMiss, highMiss := math.Inf(1), math.Inf(-1)
	for _, l := range levels {
		if l.Hits > 0 {
			lowHit, highHit = min(lowHit, l.Dose), max(highHit, l.Dose)
		}
		if l.Hits < l.Runs {
			lowMiss, highMiss = min(lowMiss, l.Dose), max(highMiss, l.Dose)
		}
	}
	return highMiss <= lowHit || highHit <= lowMiss
}

// fitLogistic climbs to the maximum of the likelihood by Newton's steps. It returns false
// if it does not come to it.
func fitLogistic(levels []DoseLevel) (intercept, slope float64, ok bool) {
	const steps, closeEnough = 50, 1e-9
	middle := 0.0 // of the logarithms: steps are steadier around it
	for _, l := range levels {
		middle += math.Log(l.Dose) / float64(len(levels))
	}
	var a, b float64
	for range steps {
		var ga, gb, haa, hab, hbb float64 // gradient and information
		for _, l := range levels {
			x := math.Log(l.Dose) - middle
			p := 1 / (1 + math.Exp(-a-b*x))
			residual, weight := float64(l.Hits)-float64(l.Runs)*p, float64(l.Runs)*p*(1-p)
			ga, gb = ga+residual, gb+residual*x
			haa, hab, hbb = haa+weight, hab+weight*x, hbb+weight*x*x
		}
		determinant := haa*hbb - hab*hab
		da, db := (hbb*ga-hab*gb)/determinant, (haa*gb-hab*ga)/determinant
		a, b = a+da, b+db
		if math.Hypot(da, db) < closeEnough {
			return a - b*middle, b, true
		}
	}
	return 0, 0, false // NaN is never close enough
}

// isotonic pools neighbours whose rates fall until none do.
func isotonic(levels []DoseLevel) []float64 {
	type block struct{ hits, runs, levels int }
	var blocks []block
	for _, l := range levels {
		blocks = append(blocks, block{l.Hits, l.Runs, 1})
		for n := len(blocks); n > 1; n-- {
			before, last := blocks[n-2], blocks[n-1]
			if before.hits*last.runs <= last.hits*before.runs {
				break
			}
			blocks = append(blocks[:n-2], block{before.hits + last.hits, before.runs + last.runs, before.levels + last.levels})
		}
	}
	rates := make([]float64, 0, len(levels))
	for _, b := range blocks {
		for range b.levels {
			rates = append(rates, float64(b.hits)/float64(b.runs))
		}
	}
	return rates
}

// effective returns the dose at which a share is found, 0 if that is below the lowest
// dose and +Inf if it is not reached: nothing is told of doses that were not tried.
func (f doseFit) effective(share float64) float64 {
	if len(f.levels) == 0 {
		return math.Inf(1)
	}
	dose := f.isotonicDose(share)
	if f.logistic {
		dose = math.Exp((math.Log(share/(1-share)) - f.intercept) / f.slope)
	}
	switch {
	case dose < f.levels[0].Dose:
		return 0
	case dose > f.levels[len(f.levels)-1].Dose:
		return math.Inf(1)
	default:
		return dose
	}
}

func (f doseFit) isotonicDose(share float64) float64 {
	for i, rate := range f.rates {
		switch {
		case rate < share:
		case i == 0:
			return 0
		default:
			low, high := math.Log(f.levels[i-1].Dose), math.Log(f.levels[i].Dose)
			part := (share - f.rates[i-1]) / (rate - f.rates[i-1])
			return math.Exp(low + part*(high-low))
		}
	}
	return math.Inf(1)
}

// redrawn returns levels with as many runs, each a hit with the probability of its level.
// That is taken to lie half a run away from 0 and 1, so that a level of which all runs are
// alike does not pass for certain.
func redrawn(random *rand.Rand, levels []DoseLevel) []DoseLevel {
	drawn := slices.Clone(levels)
	for i, l := range levels {
		rate := (float64(l.Hits) + 0.5) / (float64(l.Runs) + 1)
		drawn[i].Hits = 0
		for range l.Runs {
			if random.Float64() < rate {
				drawn[i].Hits++
			}
		}
	}
	return drawn
}
