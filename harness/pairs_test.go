// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// outcomeOf is a run that is valid so far, or was not.
func outcomeOf(run results.Run, valid bool) *outcome {
	o := &outcome{run: run}
	if !valid {
		o.ruling = rule(results.Timeout, "too slow")
		return o
	}
	o.played = &played{account: accountOf(&ledger.Ledger{Go: 1, Stop: 2})}
	return o
}

func TestPairs(t *testing.T) {
	fault, twin := faultRun(0, "a"), twinRun(1, "a")
	for name, test := range map[string]struct {
		played []*outcome
		want   [][]int // the runs that can be recorded after each
		twin   bool    // the fault is held against its twin
	}{
		"twin first":      {[]*outcome{outcomeOf(twin, true), outcomeOf(fault, true)}, [][]int{{1}, {0}}, true},
		"fault first":     {[]*outcome{outcomeOf(fault, true), outcomeOf(twin, true)}, [][]int{nil, {1, 0}}, true},
		"twin failed":     {[]*outcome{outcomeOf(fault, true), outcomeOf(twin, false)}, [][]int{nil, {1, 0}}, false},
		"twin had failed": {[]*outcome{outcomeOf(twin, false), outcomeOf(fault, true)}, [][]int{{1}, {0}}, false},
		"fault failed":    {[]*outcome{outcomeOf(fault, false), outcomeOf(twin, true)}, [][]int{{0}, {1}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPairs(results.Plan{Runs: []results.Run{fault, twin}}, nil)
			for i, out := range test.played {
				var got []int
				for _, j := range p.add(out) {
					got = append(got, j.run.Index)
					if j.run.Variant == contention.FaultVariant {
						assert.Equal(t, test.twin, j.twin != nil)
					}
				}
				require.Equal(t, test.want[i], got, "after run %d", out.run.Index)
			}
			assert.Empty(t, p.held)
		})
	}
}

func TestPairsAreOfOneSeedAndDose(t *testing.T) {
	fault, twin := faultRun(0, "a"), twinRun(1, "a")
	twin.Seed++
	other := faultRun(2, "a")
	other.Variant = contention.ControlVariant
	p := newPairs(results.Plan{Runs: []results.Run{fault, twin, other}}, nil)
	require.Len(t, p.add(outcomeOf(fault, true)), 1, "no twin of this seed will come")
	require.Len(t, p.add(outcomeOf(other, true)), 1, "a control has no twin")
}

// A fault that is all that was missing is held against the twin played before, unless
// that is played again.
func TestPairsWithATwinPlayedBefore(t *testing.T) {
	fault, twin := faultRun(0, "a"), twinRun(1, "a")
	before := []Twin{{Run: twin, Ledger: &ledger.Ledger{Go: 1, Stop: 2}}}
	alone := newPairs(results.Plan{Runs: []results.Run{fault}}, before).add(outcomeOf(fault, true))
	require.Len(t, alone, 1)
	assert.NotNil(t, alone[0].twin)

	p := newPairs(results.Plan{Runs: []results.Run{fault, twin}}, before)
	assert.Empty(t, p.add(outcomeOf(fault, true)), "its new twin is to come")
}
