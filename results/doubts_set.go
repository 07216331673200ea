// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"slices"
	"strings"
)

// mostNullAC1 is how often the best null analyser may be right for a set to be hard.
const mostNullAC1 = 0.5

// doubtSet finds what makes the questions too easy.
func doubtSet(f *Folder, s Scores) []string {
	planned, absent := f.Plan.nulls()
	var list []string
	if len(absent) > 0 {
		list = append(list, fmt.Sprintf("whether a guess does as well is not known: not asked were %s", strings.Join(absent, ", ")))
	}
	if len(planned) == 0 {
		return list
	}
	if best, ok := s.bestNull(); ok && best.Thread.AC1.Value > mostNullAC1 {
		list = append(list, fmt.Sprintf("the set is too easy: %s, which knows nothing of causes, names a culprit first in %.2f of %d faults, above %.2f",
			best.Analyzer, best.Thread.AC1.Value, best.Thread.AC1.N, mostNullAC1))
	}
	return append(list, doubtDecoys(f, planned)...)
}

// bestNull is the summary of the null analyser that is right most often; false if none
// answered to a fault.
func (s Scores) bestNull() (best Summary, ok bool) {
	for _, sum := range s.Overall {
		if IsNull(sum.Analyzer) && sum.Thread.AC1.N > 0 && (!ok || sum.Thread.AC1.Value > best.Thread.AC1.Value) {
			best, ok = sum, true
		}
	}
	return best, ok
}

// doubtDecoys asks of at least half of the scenarios that an innocent thread misleads
// some null analyser.
func doubtDecoys(f *Folder, nulls []string) []string {
	asked, misled := map[string]bool{}, map[string]bool{}
	for _, r := range valid(f.Records, isFault) {
		if !slices.Contains(nulls, r.Analyzer) {
			continue
		}
		asked[r.Scenario] = true
		accused := accusedThreads(kept(r.Findings))
		if len(accused) > 0 && isDecoy(r.Truth, accused[0]) {
			misled[r.Scenario] = true
		}
	}
	if 2*len(misled) >= len(asked) {
		return nil
	}
	return []string{fmt.Sprintf("the set is too easy: in %d of %d scenarios only does a decoy mislead a null analyser", len(misled), len(asked))}
}
