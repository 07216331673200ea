// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// blameFolder holds one fault of which thread 1 is guilty and for which by its ledger
// thread 1 answers for 8 s and thread 2 for 2 s. The analyser charged 7 s to thread 1, of
// which 5 s are a finding that shows the right function for 4 s, and 3 s to thread 2.
func blameFolder() *Folder {
	r := play(1, "mutex-hold", fault, Hit)[0]
	r.Truth.Root = []ThreadBlame{
		{TID: 1, Start: startTick, Time: 8 * time.Second}, {TID: 2, Start: startTick, Time: 2 * time.Second},
	}
	r.Truth.Decoys = []Decoy{{TID: 2, Label: "most wakeups"}}
	r.Charges = []ThreadBlame{
		{TID: 1, Start: startTick + 1, Time: 7 * time.Second}, {TID: 2, Start: startTick, Time: 3 * time.Second},
	}
	finding := accuse(1)
	finding.Culprit.Start = startTick + 1
	finding.Blame = 5 * time.Second
	finding.Stacks = []contention.WeightedStack{
		{Role: contention.HoldingOffCPU, Weight: 400, Frames: contention.Stack{{Function: "nanosleep"}, {Function: "hold.constprop.0"}}},
		{Role: contention.HoldingOnCPU, Weight: 100, Frames: contention.Stack{{Function: "digest"}}},
		{Role: contention.ReleaseStack, Weight: 900, Frames: contention.Stack{{Function: "unlock"}}},
	}
	r.Findings = []contention.Finding{finding}
	return folderOf(rcaOnly, r, play(1, "mutex-hold", twin, Lost)[0])
}

func TestFoundAndTrueBlame(t *testing.T) {
	f := blameFolder()
	assert.Equal(t, `mutex-hold;fault;culprit;run 0, thread 1;hold 8000000
mutex-hold;fault;decoy;run 0, thread 2 2000000
`, folded(t, TrueBlame(f)))
	assert.Equal(t, `mutex-hold;fault;culprit;run 0, thread 1;hold 4000000
mutex-hold;fault;decoy;run 0, thread 2 3000000
mutex-hold;fault;culprit;run 0, thread 1 2000000
mutex-hold;fault;culprit;run 0, thread 1;digest 1000000
`, folded(t, FoundBlame(f)))
}

// What a finding claims beyond what was charged is not more than that.
func TestFoundBlameIsTheCharges(t *testing.T) {
	f := blameFolder()
	f.Records[0].Findings[0].Blame = 70 * time.Second
	var sum time.Duration
	for _, s := range FoundBlame(f) {
		assert.GreaterOrEqual(t, s.Blame, time.Duration(0))
		sum += s.Blame
	}
	assert.Equal(t, 10*time.Second, sum)
}

// As go tool pprof -diff_base does: the base is scaled by -1 and merged.
func TestBlameProfilesSubtract(t *testing.T) {
	f := blameFolder()
	parse := func(stacks []BlamedStack) *profile.Profile {
		var b bytes.Buffer
		require.NoError(t, WritePprof(&b, stacks, time.Second))
		p, err := profile.Parse(&b)
		require.NoError(t, err)
		require.NoError(t, p.CheckValid())
		return p
	}
	base := parse(TrueBlame(f))
	base.Scale(-1)
	diff, err := profile.Merge([]*profile.Profile{base, parse(FoundBlame(f))})
	require.NoError(t, err)

	cumulated := map[string]int64{}
	for _, s := range diff.Sample {
		for _, l := range s.Location {
			cumulated[l.Line[0].Function.Name] += s.Value[0] / 1e9
		}
		assert.Equal(t, []string{"mutex-hold"}, s.Label["scenario"])
	}
	assert.Equal(t, map[string]int64{
		"mutex-hold": 0, "fault": 0, "culprit": -1, "run 0, thread 1": -1, "decoy": 1, "run 0, thread 2": 1,
		"hold": -4, "digest": 1,
	}, cumulated)
}
