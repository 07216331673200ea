// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	// mostFAR is the share of false alarms from which on accusing is a habit.
	mostFAR = 0.5
	// significant is the level at which a lift over a null analyser is believed.
	significant = 0.05
	// mostUnexplained is how much of the true wait of faults may be called external or
	// open.
	mostUnexplained = 0.1
	// mostNamed is how many scenarios one sentence names.
	mostNamed = 5
)

// doubtAnswers finds the analysers that always say the same.
func doubtAnswers(s Summary) []string {
	var list []string
	if s.FAR.N > 0 && s.FAR.Value > mostFAR {
		list = append(list, fmt.Sprintf("%s accuses somebody in %s of %d runs without a culprit, specificity %.2f: that it names culprits says nothing",
			s.Analyzer, timesOf(s.FAR), s.FAR.N, s.Specificity.Value))
	}
	if s.Thread.AC1.N > 0 && s.Thread.AC1.Value == 0 {
		list = append(list, fmt.Sprintf("%s names a culprit first in none of %d faults: that it accuses nobody elsewhere says nothing",
			s.Analyzer, s.Thread.AC1.N))
	}
	return list
}

// timesOf is how often what p is a share of came about.
func timesOf(p Proportion) string { return fmt.Sprintf("%.0f", p.Value*float64(p.N)) }

// doubtLift holds the first analyser against the best null analyser on the same faults.
func doubtLift(f *Folder, s Scores) []string {
	best, ok := s.bestNull()
	judged := s.Overall[0]
	if !ok || best.Analyzer == judged.Analyzer || judged.Thread.AC1.N == 0 {
		return nil
	}
	won, lost := discordant(f, judged.Analyzer, best.Analyzer)
	p := McNemar(lost, won)
	if won > lost && p < significant {
		return nil
	}
	return []string{fmt.Sprintf("%s is not shown to be better than %s: it alone is right in %d faults and %s alone in %d, McNemar p = %.2g",
		judged.Analyzer, best.Analyzer, won, best.Analyzer, lost, p)}
}

// discordant counts the faults, valid under both analysers, in which only one of them
// names a culprit first.
func discordant(f *Folder, a, b string) (onlyA, onlyB int) {
	right := map[int]bool{}
	for _, r := range valid(f.Select("", a), isFault) {
		right[r.Index] = r.rightFirst()
	}
	for _, r := range valid(f.Select("", b), isFault) {
		ofA, both := right[r.Index]
		switch {
		case !both || ofA == r.rightFirst():
		case ofA:
			onlyA++
		default:
			onlyB++
		}
	}
	return onlyA, onlyB
}

func (r Record) rightFirst() bool {
	return accuracyAt(1, r.Truth, accusedThreads(kept(r.Findings))) == 1
}

// doubtUnexplained names the scenarios in whose faults too much of the waiting is set
// apart as nobody's, the worst first.
func doubtUnexplained(scenarios []Summary) []string {
	asked := 0
	var above []Summary
	for _, s := range scenarios {
		if s.Unexplained.N == 0 {
			continue
		}
		asked++
		if s.Unexplained.Median > mostUnexplained {
			above = append(above, s)
		}
	}
	if len(above) == 0 {
		return nil
	}
	slices.SortStableFunc(above, func(a, b Summary) int { return cmp.Compare(b.Unexplained.Median, a.Unexplained.Median) })
	names := make([]string, min(len(above), mostNamed))
	for i := range names {
		names[i] = fmt.Sprintf("%s %.0f %%", above[i].Scenario, 100*above[i].Unexplained.Median)
	}
	return []string{fmt.Sprintf("%s calls more than %.0f %% of the true wait external or open in the faults of %d of %d scenarios: %s",
		above[0].Analyzer, 100*mostUnexplained, len(above), asked, strings.Join(names, ", ")+andMore(len(above)-len(names)))}
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
