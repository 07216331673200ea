// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseShard(t *testing.T) {
	s, err := ParseShard("2/4")
	require.NoError(t, err)
	assert.Equal(t, Shard{Number: 2, Of: 4}, s)
	assert.Equal(t, "2/4", s.String())
	for _, text := range []string{"", "2", "2/", "/4", "0/4", "5/4", "-1/4", "1/4/4", "1/0", "a/b", "1/20000", "1/9999999999999"} {
		_, err := ParseShard(text)
		assert.ErrorContains(t, err, "I/N", text)
	}
}

func cut(t testing.TB, plan Plan, number, of int) Plan {
	t.Helper()
	part, err := plan.Cut(Shard{Number: number, Of: of})
	require.NoError(t, err)
	return part
}

func indexes(runs []Run) []int {
	var list []int
	for _, r := range runs {
		list = append(list, r.Index)
	}
	return list
}

func TestCut(t *testing.T) {
	plan := onePlan(t, 3)
	var names []string
	for _, r := range plan.Runs {
		names = append(names, fmt.Sprintf("%d %s %s %d", r.Index, r.Scenario, r.Variant, r.Seed))
	}
	require.Equal(t, []string{
		"0 mutex-hold fault 1", "1 mutex-hold twin 1", "2 control-quiet control 1",
		"3 mutex-hold twin 2", "4 control-quiet control 2", "5 mutex-hold fault 2",
		"6 mutex-hold fault 3", "7 mutex-hold twin 3", "8 control-quiet control 3",
	}, names)
	assert.Equal(t, []int{0, 1, 4, 6, 7}, indexes(cut(t, plan, 1, 2).Runs), "each scenario comes to each part")
	assert.Equal(t, []int{2, 3, 5, 8}, indexes(cut(t, plan, 2, 2).Runs))
	assert.Equal(t, []int{2, 3, 5, 8}, indexes(cut(t, plan, 1, 2).Part.Rest))
}

// Of two scenarios with twenty seeds each, the parts have as much as can be, and of each
// scenario too.
func TestCutIsEven(t *testing.T) {
	plan := onePlan(t, 20)
	for of := 1; of <= 40; of++ {
		for number := 1; number <= of; number++ {
			questions, perScenario := map[question]bool{}, map[string]int{}
			for _, r := range cut(t, plan, number, of).Runs {
				if !questions[questionOf(r)] {
					perScenario[r.Scenario]++
				}
				questions[questionOf(r)] = true
			}
			assert.InDelta(t, 40/float64(of), len(questions), 1, "%d/%d", number, of)
			for _, scenario := range plan.Scenarios() {
				assert.InDelta(t, 20/float64(of), perScenario[scenario], 2, "%s in %d/%d", scenario, number, of)
			}
		}
	}
}

func TestCutLosesNothingAndParts(t *testing.T) {
	plan := onePlan(t, 20)
	for of := 1; of <= 21; of++ {
		home := map[question]int{}
		runs := 0
		for number := 1; number <= of; number++ {
			part := cut(t, plan, number, of)
			runs += len(part.Runs)
			assert.Equal(t, plan.ID(), part.ID())
			assert.Equal(t, plan, part.Whole())
			for _, r := range part.Runs {
				if in, known := home[questionOf(r)]; known {
					assert.Equal(t, in, number, "fault and twin stay together")
				}
				home[questionOf(r)] = number
			}
		}
		assert.Equal(t, len(plan.Runs), runs)
	}
}

func TestCutIntoTooMany(t *testing.T) {
	_, err := onePlan(t, 1).Cut(Shard{Number: 3, Of: 3})
	assert.ErrorContains(t, err, "shard 3/3: the plan can be cut into 2 parts at most")
	_, err = onePlan(t, 1).Cut(Shard{Number: 3, Of: 2})
	assert.ErrorContains(t, err, "I from 1 to N")
}

// Which plan it is depends on what is run, not on when or as what.
func TestPlanID(t *testing.T) {
	plan := onePlan(t, 2)
	again := onePlan(t, 2)
	again.RunID = "another"
	assert.Equal(t, plan.ID(), again.ID())
	for name, other := range map[string]Plan{
		"more seeds": onePlan(t, 3), "more analysers": onePlan(t, 2, "rca", "last-waker"),
	} {
		assert.NotEqual(t, plan.ID(), other.ID(), name)
	}
}

func TestReadPlanOfAPart(t *testing.T) {
	part := cut(t, onePlan(t, 2), 1, 2)
	data, err := json.Marshal(part)
	require.NoError(t, err)
	read, err := ReadPlan(strings.NewReader(string(data)))
	require.NoError(t, err)
	assert.Equal(t, part, read)

	for want, damage := range map[string]func(*Plan){
		"not those of plan":    func(p *Plan) { p.Runs[0].Seed = 9 },
		"index 2 is planned":   func(p *Plan) { p.Part.Rest = append(p.Part.Rest, Run{Index: 2}) },
		"I from 1 to N":        func(p *Plan) { p.Part.Number = 3 },
		"with the rest they m": func(p *Plan) { p.Part.Rest = nil },
	} {
		part := cut(t, onePlan(t, 2), 1, 2)
		damage(&part)
		data, err := json.Marshal(part)
		require.NoError(t, err)
		_, err = ReadPlan(strings.NewReader(string(data)))
		assert.ErrorContains(t, err, want)
	}
}
