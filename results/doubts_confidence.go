// SPDX-License-Identifier: Apache-2.0

package results

import "fmt"

const (
	// mostConfidenceError is how far confidence may be from the share of right
	// accusations, on average.
	mostConfidenceError = 0.1
	// enoughAccusations is from how many on a confidence is judged.
	enoughAccusations = 20
)

// doubtConfidence judges what an analyser, and what it with less to go by, says of its
// own certainty. Where all accusations are right no constant can be beaten.
func doubtConfidence(list []NamedCalibration, analyzer string) []string {
	var doubts []string
	for _, c := range list {
		if c.Name != analyzer && c.Name != analyzer+allAnswers || c.Accusations < enoughAccusations {
			continue
		}
		switch {
		case c.Error > mostConfidenceError:
			doubts = append(doubts, fmt.Sprintf("the confidence of %s is off by %.2f on average, over %d accusations", c.Name, c.Error, c.Accusations))
		case c.Constant > 0 && c.Brier >= c.Constant:
			doubts = append(doubts, fmt.Sprintf("the confidence of %s tells right from wrong no better than a constant: Brier %.3f, of the constant %.3f, over %d accusations",
				c.Name, c.Brier, c.Constant, c.Accusations))
		}
	}
	return doubts
}
