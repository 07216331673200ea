// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// What the host did not let run is left out, to be played in another boot, but not for ever.
func TestNeglectedRunsArePlayedAgain(t *testing.T) {
	run := results.Run{Scenario: "mutex-hold", Variant: contention.FaultVariant}
	plan := results.Plan{Schema: results.PlanSchema, RunID: "test", Analyzers: []string{"rca"}, Runs: []results.Run{run}}
	store, err := results.Create(t.TempDir()+"/folder", plan, results.Env{}, results.StoreOptions{})
	require.NoError(t, err)
	defer store.Close()
	tr := Options{Retries: 1, Progress: func(Event) {}}.trial(Kernel{}, store, "", nil)
	play := func(neglected bool) {
		tr.started(os.Getpid())
		require.NoError(t, tr.take(Message{Begin: &run}))
		tr.attention.began = time.Now().Add(-time.Second)
		if neglected {
			tr.attention.delay -= time.Second
		}
		require.NoError(t, tr.take(Message{Record: &results.Record{Run: run, Analyzer: "rca", Verdict: results.Miss}}))
	}
	recorded := func() results.Record {
		folder, err := results.Open(store.Dir())
		require.NoError(t, err)
		return folder.Records[0]
	}

	play(true)
	assert.Equal(t, results.Lost, recorded().Verdict, "left out")
	play(true)
	r := recorded()
	assert.Equal(t, results.Untrusted, r.Verdict)
	assert.Contains(t, r.Reason, "the host kept the guest from a CPU for 1s of 1s")
	assert.Len(t, r.Dropped, 1)
	play(false)
	assert.Equal(t, results.Miss, recorded().Verdict)
}
