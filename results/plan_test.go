// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func catalogue() []Question {
	dose := contention.Dose{Hold: 50 * time.Millisecond, Contenders: 4}
	pair := []contention.Variant{contention.FaultVariant, contention.TwinVariant}
	return []Question{
		{"mutex-hold", pair, []contention.Dose{dose}},
		{"pipe-chain", pair, []contention.Dose{dose}},
		{"control-quiet", []contention.Variant{contention.ControlVariant}, []contention.Dose{{}}},
	}
}

func TestNewPlanHoldsEveryRunOnce(t *testing.T) {
	plan, err := NewPlan(PlanOptions{RunID: "r", Questions: catalogue(), Count: 4, Seed: 7, Analyzers: []string{"rca", "last-waker"}})
	require.NoError(t, err)
	assert.Equal(t, PlanSchema, plan.Schema)
	assert.Equal(t, []string{"rca", "last-waker"}, plan.Analyzers)
	require.Len(t, plan.Runs, 4*(2+2+1))

	type key struct {
		scenario string
		variant  contention.Variant
		seed     uint64
	}
	seen := map[key]bool{}
	for i, r := range plan.Runs {
		assert.Equal(t, i, r.Index)
		seen[key{r.Scenario, r.Variant, r.Seed}] = true
		assert.True(t, 7 <= r.Seed && r.Seed < 11)
		if r.Variant == contention.ControlVariant {
			assert.Equal(t, "control-quiet", r.Scenario)
			assert.Zero(t, r.Dose)
		} else {
			assert.Equal(t, contention.Dose{Hold: 50 * time.Millisecond, Contenders: 4}, r.Dose)
		}
	}
	assert.Len(t, seen, len(plan.Runs))
	assert.Equal(t, 4, plan.Count("pipe-chain"))
	assert.ElementsMatch(t, []string{"mutex-hold", "pipe-chain", "control-quiet"}, plan.Scenarios())
}

func TestNewPlanInterleaves(t *testing.T) {
	plan, err := NewPlan(PlanOptions{RunID: "r", Questions: catalogue(), Count: 6, Analyzers: []string{"rca"}})
	require.NoError(t, err)
	first := map[contention.Variant]int{}
	for i, r := range plan.Runs {
		if i > 0 {
			assert.NotEqual(t, plan.Runs[i-1].Scenario, r.Scenario, "run %d repeats its neighbour's scenario", i)
		}
		if r.Scenario == "mutex-hold" {
			if i < 1 || plan.Runs[i-1].Seed != r.Seed {
				first[r.Variant]++
			}
			twin := 0
			for j := max(i-5, 0); j < min(i+6, len(plan.Runs)); j++ {
				if o := plan.Runs[j]; o.Scenario == r.Scenario && o.Seed == r.Seed && o.Variant != r.Variant {
					twin++
				}
			}
			assert.Equal(t, 1, twin, "the other variant of seed %d is near", r.Seed)
		}
	}
	assert.Equal(t, map[contention.Variant]int{contention.FaultVariant: 3, contention.TwinVariant: 3}, first)
}

func TestNewPlanOfOneControl(t *testing.T) {
	plan, err := NewPlan(PlanOptions{RunID: "r", Questions: catalogue()[2:], Count: 3, Analyzers: []string{"rca"}})
	require.NoError(t, err)
	assert.Len(t, plan.Runs, 3)
}

// All that a dose is played with comes before the next: a fault is not recorded until its
// twin has been played, and what was seen of it is kept in memory.
func TestNewPlanOfDoses(t *testing.T) {
	questions := catalogue()
	low, loud := contention.Dose{Hold: time.Millisecond, Contenders: 4}, contention.Dose{Hold: 50 * time.Millisecond, Contenders: 4, Noise: 32}
	questions[0].Doses = append(questions[0].Doses, low, loud)
	plan, err := NewPlan(PlanOptions{RunID: "r", Questions: questions, Count: 2, Seed: 1, Analyzers: []string{"rca"}})
	require.NoError(t, err)
	require.Len(t, plan.Runs, 2*(3*2+2+1))
	for seed := range 2 {
		runs := plan.Runs[9*seed:]
		for i, r := range runs[:9] {
			assert.Equal(t, uint64(1+seed), r.Seed)
			assert.Equal(t, i >= 5, r.Dose == low || r.Dose == loud)
		}
		assert.Equal(t, []contention.Dose{low, low, loud, loud}, []contention.Dose{runs[5].Dose, runs[6].Dose, runs[7].Dose, runs[8].Dose})
		assert.NotEqual(t, runs[5].Variant, runs[6].Variant)
	}
	assert.True(t, plan.Swept())
	assert.False(t, Plan{Runs: plan.Runs[:5]}.Swept())
}

func TestNewPlanRefuses(t *testing.T) {
	good := PlanOptions{RunID: "r", Questions: catalogue(), Count: 1, Analyzers: []string{"rca"}}
	for want, spoil := range map[string]func(*PlanOptions){
		"no run id":           func(o *PlanOptions) { o.RunID = "" },
		"no scenarios":        func(o *PlanOptions) { o.Questions = nil },
		"count 0":             func(o *PlanOptions) { o.Count = 0 },
		"no analyzers":        func(o *PlanOptions) { o.Analyzers = nil },
		"analyzer rca is":     func(o *PlanOptions) { o.Analyzers = []string{"rca", "rca"} },
		"scenario mutex-hold": func(o *PlanOptions) { o.Questions = append(catalogue(), catalogue()[0]) },
		"mutex-hold has no dose": func(o *PlanOptions) {
			o.Questions = catalogue()
			o.Questions[0].Doses = nil
		},
		"has dose": func(o *PlanOptions) {
			o.Questions = catalogue()
			o.Questions[0].Doses = append(o.Questions[0].Doses, o.Questions[0].Doses...)
		},
		"no room": func(o *PlanOptions) { o.Seed, o.Count = ^uint64(0), 2 },
	} {
		o := good
		spoil(&o)
		_, err := NewPlan(o)
		assert.ErrorContains(t, err, want)
	}
}

func TestNewRunID(t *testing.T) {
	at := time.Date(2026, 11, 30, 14, 15, 0, 0, time.FixedZone("CET", 3600))
	assert.Equal(t, "20261130T131500Z-6.18.44-1f3a", NewRunID(at, "6.18.44-fc-v782", 0x1f3a))
	assert.Equal(t, "20261130T131500Z-6.9-rc3-0001", NewRunID(at, "6.9-rc3", 1))
	assert.Equal(t, "20261130T131500Z-a_b-0001", NewRunID(at, "a/b", 1))
}
