// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		records []Record
		want    int
		reason  string
	}{
		"all right": {join(play(3, "m", fault, Hit), play(3, "m", twin, CorrectReject)), ExitGood, ""},
		"one miss of three": {join(play(2, "m", fault, Hit), play(1, "m", fault, Miss)), ExitBelow,
			"m: 2 of 3 faults were found, under 100 %"},
		"one miss of ten": {join(play(9, "m", fault, Hit), play(1, "m", fault, Miss)), ExitGood, ""},
		"two misses of ten": {join(play(8, "m", fault, Hit), play(2, "m", fault, Miss)), ExitBelow,
			"m: 8 of 10 faults were found, under 90 %"},
		"one miss, hidden by another scenario": {join(play(2, "m", fault, Miss), play(30, "n", fault, Hit)), ExitBelow,
			"m: 0 of 2 faults were found, under 100 %"},
		"one alarm of three": {join(play(2, "m", control, CorrectReject), play(1, "m", control, FalseAlarm)), ExitBelow,
			"m: 1 of 3 runs without a culprit accused somebody, above 0 %"},
		"one alarm of ten": {join(play(9, "m", twin, CorrectReject), play(1, "m", twin, FalseAlarm)), ExitBelow,
			"m: 1 of 10 runs without a culprit accused somebody, above 2 %"},
		"one alarm of fifty": {join(play(49, "m", twin, CorrectReject), play(1, "m", twin, FalseAlarm)), ExitGood, ""},
		"one lost of fifty":  {join(play(49, "m", fault, Hit), play(1, "m", fault, Lost)), ExitInfra, "1 of 50 planned runs left no record"},
		"one broken of fifty": {join(play(49, "m", fault, Hit), play(1, "m", fault, Infra)), ExitInfra,
			"1 of 50 runs broke down"},
		"one invalid of ten": {join(play(9, "m", fault, Hit), play(1, "m", fault, Invalid), play(10, "m", twin, CorrectReject)), ExitInfra,
			"m: 9 of 10 fault runs are valid, under 95 %"},
		"one untrusted of twenty":       {join(play(19, "m", fault, Hit), play(1, "m", fault, Untrusted)), ExitGood, ""},
		"two timeouts of twenty":        {join(play(18, "m", fault, Hit), play(2, "m", fault, Timeout)), ExitInfra, "m: 18 of 20 fault runs are valid, under 95 %"},
		"a scenario is unsupported":     {join(play(3, "m", fault, Hit), play(3, "n", fault, Unsupported)), ExitGood, ""},
		"all is unsupported":            {play(3, "m", fault, Unsupported), ExitNothing, "no run could be graded"},
		"all broke down":                {play(3, "m", fault, Infra), ExitInfra, "3 of 3 runs broke down"},
		"all are lost":                  {play(3, "m", fault, Lost), ExitInfra, "3 of 3 planned runs left no record"},
		"nothing":                       {nil, ExitNothing, "no run could be graded"},
		"misses do not hide lost runs":  {join(play(3, "m", fault, Miss), play(1, "m", fault, Lost)), ExitInfra, "1 of 4 planned runs left no record"},
		"lost runs do not hide a miss ": {join(play(3, "m", fault, Miss), play(1, "m", fault, Lost)), ExitInfra, "m: 0 of 3 faults were found, under 90 %"},
	} {
		o := Score(folderOf(rcaOnly, c.records...)).Outcome()
		assert.Equal(t, c.want, o.Code, "%s: %v", name, o.Reasons)
		if c.reason == "" {
			assert.Empty(t, o.Reasons, name)
		} else {
			assert.Contains(t, o.Reasons, c.reason, name)
		}
	}
}

func TestOutcomeOfAnIncompleteFolder(t *testing.T) {
	f := folderOf(rcaOnly, play(3, "m", fault, Hit)...)
	f.Incomplete = true
	assert.Equal(t, ExitInfra, Score(f).Outcome().Code)
}

func TestOnlyTheFirstAnalyzerDecides(t *testing.T) {
	var records []Record
	for range 3 {
		records = append(records, play(1, "m", fault, Hit)[0], play(1, "m", fault, Miss)[0])
	}
	assert.Equal(t, ExitGood, Score(folderOf([]string{"rca", "last-waker"}, records...)).Outcome().Code)
	assert.Equal(t, ExitBelow, Score(folderOf([]string{"last-waker", "rca"}, append(records[1:], records[0])...)).Outcome().Code)
}

func TestOutcomeWithoutAnalyzers(t *testing.T) {
	assert.Equal(t, ExitNothing, Score(&Folder{}).Outcome().Code)
}

// A fault too weak to bite, or to be found, is what a sweep is for. What has no fault is
// held to what it always is.
func TestOutcomeOfASweep(t *testing.T) {
	f := folderOf(rcaOnly, join(play(2, "m", fault, Miss), play(2, "m", fault, Invalid), play(2, "m", twin, CorrectReject))...)
	assert.Equal(t, ExitInfra, Score(f).Outcome().Code)
	f.Plan.Runs[0].Dose = ms(1)
	assert.Equal(t, ExitGood, Score(f).Outcome().Code)
	f = folderOf(rcaOnly, join(play(2, "m", fault, Miss), play(2, "m", twin, FalseAlarm))...)
	f.Plan.Runs[0].Dose = ms(1)
	assert.Equal(t, ExitBelow, Score(f).Outcome().Code)
}
