// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
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
	groups := map[thresholdKey]map[time.Duration]HoldLevel{}
	for _, r := range valid(f.Records, isFault) {
		for _, key := range thresholdKeys(r) {
			if groups[key] == nil {
				groups[key] = map[time.Duration]HoldLevel{}
			}
			level := groups[key][r.Dose.Hold]
			level.Hold = r.Dose.Hold
			level.Runs++
			if r.Verdict == Hit {
				level.Hits++
			}
			groups[key][r.Dose.Hold] = level
		}
	}
	var out []DetectionThreshold
	for _, key := range sortedThresholds(f, groups) {
		levels := make([]HoldLevel, 0, len(groups[key]))
		for _, hold := range sortedKeys(groups[key]) {
			levels = append(levels, groups[key][hold])
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

// sortedThresholds orders groups by family, then as the plan orders analysers.
func sortedThresholds(f *Folder, groups map[thresholdKey]map[time.Duration]HoldLevel) []thresholdKey {
	keys := make([]thresholdKey, 0, len(groups))
	for key := range groups {
		keys = append(keys, key)
	}
	place := func(k thresholdKey) int { return slices.Index(f.Plan.Analyzers, k.analyzer) }
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

// String renders b with three digits: 3.21ms, below 780µs, or not reached at 50ms.
func (b HoldBound) String() string {
	text := threeDigits(b.Hold).String()
	switch b.Beyond {
	case BelowLowest:
		return "below " + text
	case NotReached:
		return "not reached at " + text
	default:
		return text
	}
}

func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// String renders e with its interval, in which < and > stand for what lies outside of
// the doses tried.
func (e Estimate) String() string {
	short := func(b HoldBound) string {
		return map[Beyond]string{BelowLowest: "<", NotReached: ">"}[b.Beyond] + threeDigits(b.Hold).String()
	}
	return fmt.Sprintf("%s [%s,%s]", e.Value, short(e.Low), short(e.High))
}

// WriteThresholds prints the thresholds over all numbers of contenders, nothing if no
// dose was varied.
func WriteThresholds(w io.Writer, s Scores) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "\nFOUND FROM A HOLD OF\tANALYZER\tNOISE\tRUNS\tHALF\t95 %\tFIT\n"
	for _, threshold := range s.Thresholds {
		if threshold.Contenders > 0 {
			continue
		}
		runs := 0
		for _, l := range threshold.Levels {
			runs += l.Runs
		}
		fmt.Fprint(t, head)
		head = ""
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\t%s\n", threshold.Family, threshold.Analyzer, threshold.Noise, runs,
			threshold.Half, threshold.Most, threshold.Method)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write thresholds: %w", err)
	}
	return nil
}
