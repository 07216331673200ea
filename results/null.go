// SPDX-License-Identifier: Apache-2.0

package results

import "slices"

// NullAnalyzers are the names of the analysers that know nothing of causes: a guess and
// what is said by the simplest measures. An analysis is worth what it adds to the best.
var NullAnalyzers = []string{"last-waker", "longest-waiter", "most-cpu", "most-wakeups", "random"}

// IsNull reports whether an analyser is one of NullAnalyzers.
func IsNull(analyzer string) bool { return slices.Contains(NullAnalyzers, analyzer) }

// nulls divides NullAnalyzers into those that a plan holds and the rest.
func (p Plan) nulls() (planned, absent []string) {
	for _, name := range NullAnalyzers {
		if slices.Contains(p.Analyzers, name) {
			planned = append(planned, name)
		} else {
			absent = append(absent, name)
		}
	}
	return planned, absent
}
