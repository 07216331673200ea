// SPDX-License-Identifier: Apache-2.0

package results

import "slices"

// doubts lists every reason not to believe the figures of a folder, as sentences: what
// its figures say of the runs, of the set and of the first analyser, which decides the
// outcome, and then what was found when its records were graded again.
func doubts(f *Folder, s Scores) []string {
	if len(s.Overall) == 0 {
		return slices.Clone(f.Doubts)
	}
	judged := s.Overall[0]
	return slices.Concat(
		s.broken(judged),
		doubtTwins(f.Select("", judged.Analyzer)),
		doubtSet(f, s),
		doubtAnswers(judged),
		doubtLift(f, s),
		doubtUnexplained(s.of(judged.Analyzer)),
		doubtConfidence(s.Calibrations, judged.Analyzer),
		f.Doubts,
	)
}

// DoubtsBeside are the doubts that an outcome does not give as its reasons already.
func (s Scores) DoubtsBeside(o Outcome) []string {
	return slices.DeleteFunc(slices.Clone(s.Doubts), func(doubt string) bool { return slices.Contains(o.Reasons, doubt) })
}
