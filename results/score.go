// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// Scores are the figures of a folder. The first analyser decides the outcome.
type Scores struct {
	RunID      string   `json:"run_id"`
	Analyzers  []string `json:"analyzers"`
	Incomplete bool     `json:"incomplete"`
	// Scenarios holds one summary for each scenario and analyser, in the order of
	// the plan; Overall one for each analyser over all scenarios.
	Scenarios []Summary `json:"scenarios"`
	Overall   []Summary `json:"overall"`
	// Calibrations are those of each analyser that accuses with a confidence, and of one
	// that was tried with degraded traces too (NAME@LOSS) that of all its answers.
	Calibrations []NamedCalibration `json:"calibrations"`
	// Thresholds are those of a folder in which doses were varied, as Swept says: the
	// figures above are then over all doses.
	Swept      bool                 `json:"swept,omitempty"`
	Thresholds []DetectionThreshold `json:"thresholds,omitempty"`
	// Doubts are the reasons not to believe the figures.
	Doubts []string `json:"doubts"`
}

// Summary is what one analyser made of a set of runs. Accuracy is taken over valid
// runs alone: Recall, the AC@1s, DecoyRate and the blame over faults, FAR over
// twins and controls.
type Summary struct {
	// Scenario is empty where the summary is over all.
	Scenario string `json:"scenario,omitempty"`
	Analyzer string `json:"analyzer"`
	// Count is the number of seeds, Runs that of planned runs.
	Count    int             `json:"count"`
	Runs     int             `json:"runs"`
	Verdicts map[Verdict]int `json:"verdicts"`
	// Support is the share of runs that this kernel and machine could do, Validity
	// the share of those that enter accuracy, also for each variant.
	Support  Proportion                        `json:"support"`
	Validity Proportion                        `json:"validity"`
	Variants map[contention.Variant]Proportion `json:"validity_by_variant"`

	// Recall is the share of faults that were a hit.
	Recall Proportion     `json:"recall"`
	Thread ThreadAccuracy `json:"thread"`
	// AC@1 at the other levels.
	Class    Proportion `json:"class_ac1"`
	Process  Proportion `json:"process_ac1"`
	Resource Proportion `json:"resource_ac1"`
	Frame    Proportion `json:"frame_ac1"`
	Edge     Proportion `json:"edge_ac1"`
	// FAR is the share of twins and controls in which anybody was accused.
	FAR         Proportion `json:"far"`
	Specificity Proportion `json:"specificity"`
	// Exact are the exact intervals of the headline shares, beside those after Wilson.
	Exact Exact `json:"clopper_pearson"`
	// Youden is thread AC@1 + specificity − 1, nil unless both were measured.
	Youden *float64 `json:"youden_j,omitempty"`
	// DecoyRate is the share of faults whose first accusation is a decoy.
	DecoyRate Proportion `json:"decoy_rate"`

	BlameError Spread `json:"blame_error"`
	TVDistance Spread `json:"tv_distance"`
	// ChainF1 is the mean over faults in which waiting came to a culprit, nil if there
	// are none.
	ChainF1 *float64 `json:"chain_f1,omitempty"`
	// Unexplained is external and open waiting over the true wait.
	Unexplained Spread `json:"unexplained"`
	// DetectedAfter is in nanoseconds, over hits that tell it.
	DetectedAfter Spread `json:"detected_after_ns"`
	// Again is how many runs were played more than once, because the machine was
	// too busy.
	Again int `json:"played_again,omitempty"`
	// WaitError is |seen − accounted for| of the waiting, over what the threads
	// account for, in runs of every variant in which they waited to speak of.
	WaitError Spread `json:"wait_error"`
}

// Exact are shares with intervals after Clopper and Pearson, which are never too narrow.
type Exact struct {
	Recall Proportion `json:"recall"`
	Frame  Proportion `json:"frame_ac1"`
	FAR    Proportion `json:"far"`
}

// ThreadAccuracy says how well the list of accused threads finds the culprits.
type ThreadAccuracy struct {
	// AC1, AC3 and AC5 are the means of |L[:k] ∩ G| / min(k, |G|).
	AC1 Proportion `json:"ac1"`
	AC3 Proportion `json:"ac3"`
	AC5 Proportion `json:"ac5"`
	// Avg5 is the mean of AC@1 to AC@5, MRR that of 1/rank.
	Avg5 float64 `json:"avg5"`
	MRR  float64 `json:"mrr"`
}

// Spread is the middle and the upper end of N values; nothing if N is 0.
type Spread struct {
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	N      int     `json:"n"`
}

func spread(values []float64) Spread {
	median, _ := Quantile(values, 0.5)
	p90, _ := Quantile(values, 0.9)
	return Spread{Median: median, P90: p90, N: len(values)}
}

// Score computes the figures of a folder from its records. Verdicts are taken as
// they stand, ranks are computed from findings and truth.
func Score(f *Folder) Scores {
	s := Scores{RunID: f.Plan.RunID, Analyzers: f.Plan.Analyzers, Incomplete: f.Incomplete}
	for _, scenario := range f.Plan.Scenarios() {
		for _, analyzer := range f.Plan.Analyzers {
			summary := Summarize(f.Select(scenario, analyzer))
			summary.Scenario, summary.Analyzer = scenario, analyzer
			s.Scenarios = append(s.Scenarios, summary)
		}
	}
	if s.Swept = f.Plan.Swept(); s.Swept {
		s.Thresholds = DetectionThresholds(f)
	}
	for _, analyzer := range f.Plan.Analyzers {
		summary := Summarize(f.Select("", analyzer))
		summary.Analyzer = analyzer
		s.Overall = append(s.Overall, summary)
	}
	s.Calibrations = calibrations(f)
	s.Doubts = notNil(doubts(f, s))
	return s
}

// Of is the folder as if analyzer alone had been asked.
func (f *Folder) Of(analyzer string) *Folder {
	alone := *f
	alone.Plan.Analyzers = []string{analyzer}
	alone.Records = f.Select("", analyzer)
	return &alone
}

// Select returns the records of one analyser for one scenario, or for all if it is
// empty.
func (f *Folder) Select(scenario, analyzer string) []Record {
	var selected []Record
	for _, r := range f.Records {
		if r.Analyzer == analyzer && (scenario == "" || r.Scenario == scenario) {
			selected = append(selected, r)
		}
	}
	return selected
}

// Summarize computes the figures of a set of records of one analyser.
func Summarize(records []Record) Summary {
	s := Summary{Runs: len(records), Verdicts: map[Verdict]int{}, Count: seeds(records)}
	for _, r := range records {
		s.Verdicts[r.Verdict]++
		if len(r.Dropped) > 0 {
			s.Again++
		}
	}
	s.validity(records)
	s.agreement(valid(records, func(Record) bool { return true }))
	s.faults(valid(records, isFault))
	s.quiet(valid(records, func(r Record) bool { return !isFault(r) }))
	if s.Thread.AC1.N > 0 && s.Specificity.N > 0 {
		j := s.Thread.AC1.Value + s.Specificity.Value - 1
		s.Youden = &j
	}
	return s
}

func seeds(records []Record) int {
	distinct := map[uint64]bool{}
	for _, r := range records {
		distinct[r.Seed] = true
	}
	return len(distinct)
}

func isFault(r Record) bool { return r.Variant == contention.FaultVariant }

func valid(records []Record, keep func(Record) bool) []Record {
	var out []Record
	for _, r := range records {
		if r.Verdict.Valid() && keep(r) {
			out = append(out, r)
		}
	}
	return out
}

func (s *Summary) validity(records []Record) {
	type tally struct{ supported, valid int }
	all, variants := tally{}, map[contention.Variant]tally{}
	for _, r := range records {
		if r.Verdict == Unsupported {
			continue
		}
		t := variants[r.Variant]
		t.supported++
		all.supported++
		if r.Verdict.Valid() {
			t.valid++
			all.valid++
		}
		variants[r.Variant] = t
	}
	s.Support = Wilson(float64(all.supported), len(records))
	s.Validity = Wilson(float64(all.valid), all.supported)
	s.Variants = map[contention.Variant]Proportion{}
	for variant, t := range variants {
		s.Variants[variant] = Wilson(float64(t.valid), t.supported)
	}
}

// faults computes what is asked of valid runs that have a culprit.
func (s *Summary) faults(records []Record) {
	n := len(records)
	if n == 0 {
		return
	}
	var ac [5]float64
	var reciprocal float64
	hits, decoys := 0, 0
	var first Ranks // counts of rank 1
	var errors, distances, unexplained, detected, chains []float64
	unnamed := 0 // has no function either
	for _, r := range records {
		if r.Truth.Nobody {
			unnamed++
		}
		g := Grade(r.Truth, r.Variant, contention.Analysis{Findings: r.Findings}, false)
		accused := accusedThreads(kept(r.Findings))
		for k := range ac {
			ac[k] += accuracyAt(k+1, r.Truth, accused)
		}
		if g.Ranks.Thread > 0 {
			reciprocal += 1 / float64(g.Ranks.Thread)
		}
		first.add(g.Ranks)
		if r.Verdict == Hit {
			hits++
		}
		if g.DecoyFirst {
			decoys++
		}
		errors = append(errors, r.Blame.Error)
		distances = append(distances, r.Blame.TVDistance)
		if len(r.Truth.Ways) > 0 && !r.Truth.Nobody {
			chains = append(chains, r.Chain.F1())
		}
		if r.Truth.WaitTime > 0 {
			unexplained = append(unexplained, ratio(r.Totals.External+r.Totals.Open, r.Truth.WaitTime))
		}
		if r.Verdict == Hit && r.DetectedAfter > 0 {
			detected = append(detected, float64(r.DetectedAfter))
		}
	}
	of := func(count int) Proportion { return Wilson(float64(count), n) }
	s.Recall, s.DecoyRate = of(hits), of(decoys)
	avg, _ := mean(ac[:])
	s.Thread = ThreadAccuracy{
		AC1: Wilson(ac[0], n), AC3: Wilson(ac[2], n), AC5: Wilson(ac[4], n),
		Avg5: avg / float64(n), MRR: reciprocal / float64(n),
	}
	s.Frame = Wilson(float64(first.Frame), n-unnamed)
	s.Exact.Recall, s.Exact.Frame = ClopperPearson(hits, n), ClopperPearson(first.Frame, n-unnamed)
	if IsPeer(records[0].Analyzer) {
		return // the rest is not what it says
	}
	s.Class, s.Process, s.Resource, s.Edge = of(first.Class), of(first.Process), of(first.Resource), of(first.Edge)
	s.BlameError, s.TVDistance = spread(errors), spread(distances)
	s.Unexplained, s.DetectedAfter = spread(unexplained), spread(detected)
	if f1, ok := mean(chains); ok {
		s.ChainF1 = &f1
	}
}

// minWait is what a thread must have waited on average for a difference to be told as
// a share of it: below, the calls that did not have to wait make up most of it.
const minWait = 10 * time.Millisecond

// agreement computes how far the waiting seen is from that accounted for, in all runs.
func (s *Summary) agreement(records []Record) {
	var errors []float64
	for _, r := range records {
		if a := r.Agreement; a.Ledger > time.Duration(a.Threads)*minWait {
			errors = append(errors, math.Abs(ratio(a.Seen-a.Ledger, a.Ledger)))
		}
	}
	s.WaitError = spread(errors)
}

// quiet computes what is asked of valid runs that have no culprit.
func (s *Summary) quiet(records []Record) {
	alarms := 0
	for _, r := range records {
		if r.Verdict == FalseAlarm {
			alarms++
		}
	}
	s.FAR, s.Exact.FAR = Wilson(float64(alarms), len(records)), ClopperPearson(alarms, len(records))
	s.Specificity = Wilson(float64(len(records)-alarms), len(records))
}

// accuracyAt is |L[:k] ∩ G| / min(k, |G|) for the accused L and the culprits G, of whom
// nobody is one where nobody can be named.
func accuracyAt(k int, truth Truth, accused []contention.Thread) float64 {
	found := 0
	for _, t := range accused[:min(k, len(accused))] {
		if right(truth, t) {
			found++
		}
	}
	if truth.Nobody {
		return share(min(found, 1), 1)
	}
	return share(found, min(k, len(truth.Culprits)))
}

// add counts the levels at which other is first.
func (r *Ranks) add(other Ranks) {
	count := func(n *int, rank int) {
		if rank == 1 {
			*n++
		}
	}
	count(&r.Class, other.Class)
	count(&r.Process, other.Process)
	count(&r.Thread, other.Thread)
	count(&r.Resource, other.Resource)
	count(&r.Frame, other.Frame)
	count(&r.Edge, other.Edge)
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
