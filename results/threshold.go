// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// doseDraws is how many times the interval of a threshold is drawn.
const doseDraws = 1000

// DetectionThreshold is from which hold time on an analyser finds the faults of a family of
// scenarios.
type DetectionThreshold struct {
	Family   string `json:"family"`
	Analyzer string `json:"analyzer"`
	// Contenders is 0 where those of all numbers are taken together.
	Contenders int `json:"contenders,omitempty"`
	Noise      int `json:"noise,omitempty"`
	// Levels are the hold times that were tried, ascending.
	Levels []HoldLevel `json:"levels"`
	// Method is logistic, or isotonic where a logistic curve does not fit: hits and misses
	// do not overlap, or do not grow with the hold time.
	Method string `json:"method"`
	// Half and Most are the hold times at which 50 % and 95 % of the faults are found.
	Half Estimate `json:"ed50"`
	Most Estimate `json:"ed95"`
}

// HoldLevel is how many valid faults of one hold time were hits.
type HoldLevel struct {
	Hold time.Duration `json:"hold_ns"`
	Hits int           `json:"hits"`
	Runs int           `json:"runs"`
}

// Estimate is a hold time with the 95 % percentile interval of its bootstrap, in which
// the runs of each level are drawn anew.
type Estimate struct {
	Value HoldBound `json:"value"`
	Low   HoldBound `json:"low"`
	High  HoldBound `json:"high"`
}

// HoldBound is a hold time, or that it lies outside of those tried.
type HoldBound struct {
	Hold time.Duration `json:"hold_ns"`
	// Beyond is empty, or says that less than the lowest Hold is enough, or that the
	// highest is not.
	Beyond Beyond `json:"beyond,omitempty"`
}

// Beyond is on which side of the doses that were tried something lies.
type Beyond string

// The sides.
const (
	BelowLowest Beyond = "below-lowest"
	NotReached  Beyond = "not-reached"
)

// DetectionThresholds computes the thresholds of each family, analyser, number of contenders and
// noise for which faults were played at several hold times. Only valid runs count: a
// fault that did not bite says nothing of the analysis.
func DetectionThresholds(f *Folder) []DetectionThreshold {
	groups := doseGroups{}
	for _, r := range valid(f.Records, isFault) {
		for _, key := range thresholdKeys(r) {
			groups.add(key, r)
		}
	}
	return groups.thresholds(f.Plan.Analyzers)
}

// ScenarioThresholds computes those of one scenario and analyser, for each number of
// contenders and noise by itself. Family is then empty.
func ScenarioThresholds(f *Folder, scenario, analyzer string) []DetectionThreshold {
	groups := doseGroups{}
	for _, r := range valid(f.Select(scenario, analyzer), isFault) {
		groups.add(thresholdKey{analyzer: analyzer, contenders: r.Dose.Contenders, noise: r.Dose.Noise}, r)
	}
	return groups.thresholds(f.Plan.Analyzers)
}

// doseGroups are the hits among runs that are judged together, by hold time.
type doseGroups map[thresholdKey]map[time.Duration]HoldLevel

func (g doseGroups) add(key thresholdKey, r Record) {
	if g[key] == nil {
		g[key] = map[time.Duration]HoldLevel{}
	}
	level := g[key][r.Dose.Hold]
	level.Hold = r.Dose.Hold
	level.Runs++
	if r.Verdict == Hit {
		level.Hits++
	}
	g[key][r.Dose.Hold] = level
}

// thresholds are those of the groups that have several hold times.
func (g doseGroups) thresholds(analyzers []string) []DetectionThreshold {
	var out []DetectionThreshold
	for _, key := range g.sorted(analyzers) {
		levels := make([]HoldLevel, 0, len(g[key]))
		for _, hold := range sortedKeys(g[key]) {
			levels = append(levels, g[key][hold])
		}
		if len(levels) > 1 {
			out = append(out, newThreshold(key, levels))
		}
	}
	return out
}

type thresholdKey struct {
	family, analyzer  string
	contenders, noise int
}

// thresholdKeys are the groups that a record counts in.
func thresholdKeys(r Record) []thresholdKey {
	family, _, _ := strings.Cut(r.Scenario, "-")
	together := thresholdKey{family: family, analyzer: r.Analyzer, noise: r.Dose.Noise}
	apart := together
	apart.contenders = r.Dose.Contenders
	return []thresholdKey{together, apart}
}

// sorted orders groups by family, then as the plan orders analysers.
func (g doseGroups) sorted(analyzers []string) []thresholdKey {
	keys := make([]thresholdKey, 0, len(g))
	for key := range g {
		keys = append(keys, key)
	}
	place := func(k thresholdKey) int { return slices.Index(analyzers, k.analyzer) }
	slices.SortFunc(keys, func(a, b thresholdKey) int {
		return cmp.Or(
			cmp.Compare(a.family, b.family), cmp.Compare(place(a), place(b)),
			cmp.Compare(a.contenders, b.contenders), cmp.Compare(a.noise, b.noise),
		)
	})
	return keys
}

func newThreshold(key thresholdKey, levels []HoldLevel) DetectionThreshold {
	t := DetectionThreshold{
		Family: key.family, Analyzer: key.analyzer, Contenders: key.contenders, Noise: key.noise, Levels: levels,
		Method: "isotonic",
	}
	doses := make([]DoseLevel, len(levels))
	for i, l := range levels {
		doses[i] = DoseLevel{Dose: float64(l.Hold), Hits: l.Hits, Runs: l.Runs}
	}
	fit := fitDoses(doses)
	if fit.logistic {
		t.Method = "logistic"
	}
	var half, most []float64
	random := rand.New(rand.NewPCG(3, uint64(len(levels))))
	for range doseDraws {
		drawn := fitDoses(redrawn(random, doses))
		half, most = append(half, drawn.effective(0.5)), append(most, drawn.effective(0.95))
	}
	t.Half, t.Most = t.estimate(fit.effective(0.5), half), t.estimate(fit.effective(0.95), most)
	return t
}

func (t DetectionThreshold) estimate(dose float64, draws []float64) Estimate {
	slices.Sort(draws)
	// Not interpolated: between a dose and one that is not reached lies nothing.
	at := func(q float64) float64 { return draws[int(math.Round(q*float64(len(draws)-1)))] }
	return Estimate{Value: t.bound(dose), Low: t.bound(at(0.025)), High: t.bound(at(0.975))}
}

func (t DetectionThreshold) bound(dose float64) HoldBound {
	switch {
	case dose == 0:
		return HoldBound{t.Levels[0].Hold, BelowLowest}
	case math.IsInf(dose, 1):
		return HoldBound{t.Levels[len(t.Levels)-1].Hold, NotReached}
	default:
		return HoldBound{Hold: time.Duration(math.Round(dose))}
	}
}
