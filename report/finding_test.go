// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

func TestFindingBesideTheTruth(t *testing.T) {
	truth := results.Truth{
		Culprits: []results.Culprit{{TID: 1, Functions: []string{"hold"}}},
		Decoys:   []results.Decoy{{TID: 2, Label: "most-cpu"}},
	}
	f := contention.Finding{
		Rank: 1, Class: contention.Deadlock, Confidence: 0.5, Blame: time.Second, Share: 0.25,
		Culprits: []contention.Thread{{TID: 1}, {TID: 2}},
		Resource: contention.Resource{Kind: contention.Mutex},
		Stacks: []contention.WeightedStack{
			{Role: contention.ReleaseStack, Weight: 1, Frames: contention.Stack{{Function: "unlock"}}},
			{Role: contention.HoldingOnCPU, Weight: 2, Frames: contention.Stack{
				{Function: "spin", Kernel: true, Module: "x"}, {Function: "hold", Module: "app"}, {Address: 0x10},
			}},
		},
		Chain: make([]contention.Hop, mostHops+2),
	}
	view := newFinding(f, truth, names{2: "w1"})
	assert.Equal(t, []suspect{
		{"1", verdictOnThread{Culprit: true}},
		{"w1 2", verdictOnThread{Decoy: "most-cpu"}},
	}, view.Culprits)
	assert.Equal(t, &stack{Role: "holding-oncpu", Weight: "2 ns", Frames: []frame{
		{"spin", "kernel", false}, {"hold", "app", true}, {"0x10", "", false},
	}}, view.Stack, "the heaviest")
	assert.Len(t, view.Chain, mostHops)
	assert.Equal(t, 2, view.MoreHops)
}

func TestAnEmptyNameIsNoTrueFunction(t *testing.T) {
	truth := results.Truth{Culprits: []results.Culprit{{Functions: []string{""}}}}
	assert.False(t, newFrame(contention.Frame{Address: 1}, truth).True)
}

func TestLongStacksAreCut(t *testing.T) {
	f := contention.Finding{Stacks: []contention.WeightedStack{{Frames: make(contention.Stack, mostFrames+3)}}}
	s := newStack(f, results.Truth{})
	require.NotNil(t, s)
	assert.Len(t, s.Frames, mostFrames)
	assert.Equal(t, 3, s.More)
	assert.Nil(t, newStack(contention.Finding{}, results.Truth{}))
}
