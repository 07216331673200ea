// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// The threads of soundFolder, and how often it plays each scenario.
const (
	culpritTID = 1
	decoyTID   = 2
	soundCount = 10
)

var soundScenarios = []string{"mutex-hold", "pipe-chain", "barrier-straggler", "sem-lock-hold"}

// soundFolder is a folder that gives no reason to doubt: rca finds all culprits but two,
// of which it was less certain, and accuses nobody in twins; of the null analysers, which
// all accuse the same decoy everywhere, one guesses right in every fifth fault.
func soundFolder() *Folder {
	analyzers := append([]string{"rca"}, NullAnalyzers...)
	f := &Folder{Plan: Plan{Schema: PlanSchema, RunID: testRunID, Analyzers: analyzers}}
	for seed := range uint64(soundCount) {
		for _, scenario := range soundScenarios {
			for _, variant := range []contention.Variant{fault, twin} {
				run := Run{Index: len(f.Plan.Runs), Scenario: scenario, Variant: variant, Seed: seed}
				f.Plan.Runs = append(f.Plan.Runs, run)
				for _, analyzer := range analyzers {
					f.Records = append(f.Records, soundRecord(run, analyzer))
				}
			}
		}
	}
	return f
}

func soundRecord(run Run, analyzer string) Record {
	r := Record{Schema: RecordSchema, RunID: testRunID, Run: run, Analyzer: analyzer, Verdict: Hit}
	r.Truth = Truth{WaitTime: 4 * time.Second, Waits: 300, Holds: 80, Operations: 1000}
	if isFault(r) {
		culprits := guilty(culpritTID)
		r.Truth.Class, r.Truth.Culprits, r.Truth.Root = culprits.Class, culprits.Culprits, culprits.Root
		r.Truth.Decoys = []Decoy{{TID: decoyTID, Label: "most wake-ups"}}
	}
	switch {
	case analyzer == "rca" && isFault(r) && run.Scenario == "pipe-chain" && run.Seed < 2:
		r.Findings = []contention.Finding{sure(0.3, 3)}
	case analyzer == "rca" && isFault(r):
		r.Findings = []contention.Finding{sure(0.95, culpritTID), inform(contention.External, 4)}
	case analyzer == "last-waker" && isFault(r) && run.Seed%5 == 0:
		r.Findings = []contention.Finding{accuse(culpritTID)}
	case IsNull(analyzer):
		r.Findings = []contention.Finding{accuse(decoyTID), accuse(culpritTID)}
	}
	r.Totals = contention.Totals{WaitTime: r.Truth.WaitTime, Blame: r.Truth.WaitTime}
	return Regrade(r, false)
}

// change applies a mutation to the records of an analyser and has them graded as if they
// had been recorded so.
func change(analyzer string, mutate func(*Record)) func(*Folder) {
	return func(f *Folder) {
		for i := range f.Records {
			if r := &f.Records[i]; r.Analyzer == analyzer {
				mutate(r)
				*r = Regrade(*r, false)
			}
		}
	}
}

func answer(findings ...contention.Finding) func(*Record) {
	return func(r *Record) { r.Findings = findings }
}

// inFaults applies a mutation to the faults of one scenario or, without a name, of all.
func inFaults(scenario string, mutate func(*Record)) func(*Record) {
	return func(r *Record) {
		if isFault(*r) && (scenario == "" || r.Scenario == scenario) {
			mutate(r)
		}
	}
}

func never(string) bool { return false }

func doubtsOf(f *Folder) []string {
	f.Regrade(never)
	return Score(f).Doubts
}

func TestASoundFolderGivesNoDoubt(t *testing.T) {
	f := soundFolder()
	assert.Empty(t, doubtsOf(f))
	s := Score(f)
	assert.InDelta(t, 38.0/40, s.Overall[0].Thread.AC1.Value, 1e-12)
	assert.InDelta(t, 8.0/40, s.Overall[1].Thread.AC1.Value, 1e-12)
}

// Each mutation of a sound folder is caught by what is said of it, and by nothing else.
func TestDoubts(t *testing.T) {
	always := sure(0.95, culpritTID)
	for name, test := range map[string]struct {
		mutate func(*Folder)
		says   []string
	}{
		"an analyser that always accuses": {
			change("rca", answer(always)),
			[]string{
				"rca accuses somebody in 40 of 40 runs without a culprit, specificity 0.00: that it names culprits says nothing",
				"the confidence of rca is off by 0.45 on average, over 80 accusations",
			},
		},
		"an analyser that never accuses": {
			change("rca", answer()),
			[]string{
				"rca names a culprit first in none of 40 faults: that it accuses nobody elsewhere says nothing",
				"rca is not shown to be better than last-waker: it alone is right in 0 faults and last-waker alone in 8, McNemar p = 0.0078",
			},
		},
		"an analyser that names the last waker": {
			func(f *Folder) {
				said := map[int][]contention.Finding{}
				for _, r := range f.Select("", "last-waker") {
					said[r.Index] = r.Findings
				}
				change("rca", func(r *Record) { r.Findings = said[r.Index] })(f)
			},
			[]string{
				"rca accuses somebody in 40 of 40 runs without a culprit, specificity 0.00: that it names culprits says nothing",
				"rca is not shown to be better than last-waker: it alone is right in 0 faults and last-waker alone in 0, McNemar p = 1",
			},
		},
		"ranks that are off by one": {
			func(f *Folder) {
				for i := range f.Records {
					if r := &f.Records[i]; r.Analyzer == "rca" && r.Index == 0 {
						r.Ranks.Thread++
					}
				}
			},
			[]string{"run 0, mutex-hold fault, seed 0, rca: recorded with rank 2 by thread, its findings give 1 by thread"},
		},
		"a miss recorded as a hit": {
			func(f *Folder) {
				for i := range f.Records {
					if r := &f.Records[i]; r.Analyzer == "rca" && r.Verdict == Miss {
						r.Verdict = Hit
					}
				}
			},
			[]string{
				"run 2, pipe-chain fault, seed 0, rca: recorded as hit, graded as miss",
				"run 10, pipe-chain fault, seed 1, rca: recorded as hit, graded as miss",
			},
		},
		"an empty twin": {
			change("rca", func(r *Record) {
				if r.Scenario == "mutex-hold" && r.Variant == twin && r.Seed > 3 {
					r.Truth.Waits, r.Truth.WaitTime = 0, 0
				}
			}),
			[]string{"mutex-hold: nobody waits in 6 of 10 twins: that nobody is accused in them says nothing"},
		},
		"misses relabelled as invalid": {
			func(f *Folder) {
				for i := range f.Records {
					if r := &f.Records[i]; r.Analyzer == "rca" && r.Verdict == Miss {
						r.Verdict, r.Reason = Invalid, "the fault did not bite"
					}
				}
			},
			[]string{"pipe-chain: 8 of 10 fault runs are valid, under 95 %"},
		},
		"everything called external": {
			change("rca", inFaults("", func(r *Record) { r.Totals.Blame, r.Totals.External = 0, r.Totals.WaitTime })),
			[]string{"rca calls more than 10 % of the true wait external or open in the faults of 4 of 4 scenarios: " +
				"mutex-hold 100 %, pipe-chain 100 %, barrier-straggler 100 %, sem-lock-hold 100 %"},
		},
		"one scenario left open": {
			change("rca", inFaults("pipe-chain", func(r *Record) { r.Totals.Open = r.Totals.WaitTime / 4 })),
			[]string{"rca calls more than 10 % of the true wait external or open in the faults of 1 of 4 scenarios: pipe-chain 25 %"},
		},
		"a confidence of always 0.99": {
			change("rca", inFaults("", func(r *Record) { r.Findings[0].Confidence = 0.99 })),
			[]string{"the confidence of rca tells right from wrong no better than a constant: Brier 0.049, of the constant 0.048, over 40 accusations"},
		},
		"a confidence that boasts": {
			change("rca", inFaults("", func(r *Record) { r.Findings = []contention.Finding{sure(0.99, culpritTID), sure(0.99, 3)} })),
			[]string{"the confidence of rca is off by 0.49 on average, over 80 accusations"},
		},
		"a run that is killed": {
			func(f *Folder) {
				for i := range f.Records {
					if r := &f.Records[i]; r.Index >= 76 {
						*r = f.lost(r.Run, r.Analyzer)
						f.Incomplete = true
					}
				}
			},
			[]string{
				"4 of 80 planned runs left no record",
				"barrier-straggler: 9 of 10 fault runs are valid, under 95 %",
				"barrier-straggler: 9 of 10 twin runs are valid, under 95 %",
				"sem-lock-hold: 9 of 10 fault runs are valid, under 95 %",
				"sem-lock-hold: 9 of 10 twin runs are valid, under 95 %",
			},
		},
		"questions that a guess answers": {
			change("random", inFaults("", func(r *Record) {
				if r.Seed < 6 {
					r.Findings = []contention.Finding{accuse(culpritTID)}
				}
			})),
			[]string{"the set is too easy: random, which knows nothing of causes, names a culprit first in 0.60 of 40 faults, above 0.50"},
		},
		"no decoy that misleads": {
			func(f *Folder) {
				for i := range f.Records {
					if r := &f.Records[i]; r.Scenario != "mutex-hold" {
						r.Truth.Decoys = nil
						*r = Regrade(*r, false)
					}
				}
			},
			[]string{"the set is too easy: in 1 of 4 scenarios only does a decoy mislead a null analyser"},
		},
		"null analysers left out": {
			func(f *Folder) {
				f.Plan.Analyzers = []string{"rca", "last-waker", "random"}
				f.Records = slices.DeleteFunc(f.Records, func(r Record) bool { return !slices.Contains(f.Plan.Analyzers, r.Analyzer) })
			},
			[]string{"whether a guess does as well is not known: not asked were longest-waiter, most-cpu, most-wakeups"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := soundFolder()
			test.mutate(f)
			assert.Equal(t, test.says, doubtsOf(f))
		})
	}
}

func TestDoubtsTellBreakdowns(t *testing.T) {
	f := soundFolder()
	for i := range f.Records {
		if r := &f.Records[i]; r.Scenario == "mutex-hold" && r.Seed == 0 {
			r.Verdict, r.Reason = Infra, "the program crashed"
		}
	}
	assert.Contains(t, doubtsOf(f), "2 of 80 runs broke down")
}

func TestDoubtsOfAnEmptyFolder(t *testing.T) {
	assert.Empty(t, Score(&Folder{}).Doubts)
	assert.NotNil(t, Score(&Folder{}).Doubts, "a list is never null")
}

func TestDoubtUnexplainedNamesTheWorst(t *testing.T) {
	var list []Summary
	for i := range 7 {
		list = append(list, Summary{Analyzer: "rca", Scenario: fmt.Sprint("s", i), Unexplained: Spread{Median: float64(i) / 10, N: 1}})
	}
	said := doubtUnexplained(list)
	require.Len(t, said, 1, "0.1 is not above")
	assert.Equal(t, "rca calls more than 10 % of the true wait external or open in the faults of 5 of 7 scenarios: s6 60 %, s5 50 %, s4 40 %, s3 30 %, s2 20 %", said[0])
	list[1].Unexplained.Median = 0.11
	assert.Contains(t, doubtUnexplained(list)[0], "s2 20 % and 1 more")
}
