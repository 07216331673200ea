// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestChanges(t *testing.T) {
	recorded := Record{
		Run: Run{Index: 3, Scenario: "mutex-hold", Variant: fault, Seed: 9}, Analyzer: "rca", Verdict: Hit,
		Ranks: Ranks{Class: 1, Thread: 1}, Blame: Blame{Error: 0.25}, Chain: Chain{Precision: 1, Recall: 1},
	}
	assert.Empty(t, changes(recorded, recorded))
	graded := recorded
	graded.Verdict, graded.DecoyFirst = Miss, true
	graded.Ranks = Ranks{Class: 1, Process: 2, Thread: 2, Resource: 3, Frame: 4, Edge: 5}
	graded.Blame.Error, graded.Chain.Recall = 0.5, 0
	run := "run 3, mutex-hold fault, seed 9, rca: "
	assert.Equal(t, []string{
		run + "recorded as hit, graded as miss",
		run + "recorded with rank 0 by process, 1 by thread, 0 by resource, 0 by frame, 0 by edge, " +
			"its findings give 2 by process, 2 by thread, 3 by resource, 4 by frame, 5 by edge",
		run + "recorded with decoy_first false, graded true",
		run + "recorded with a blame error of 0.250, its charges give 0.500",
		run + "recorded with a chain F1 of 1.000, its findings give 0.000",
	}, changes(recorded, graded))
}
