// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// busyLedger is of as many threads as are shown, each of which waits for and holds a
// lock ten times, not as long as the time before.
func busyLedger() *ledger.Ledger {
	l := &ledger.Ledger{Go: time.Second, Stop: 2 * time.Second, Resources: []ledger.Resource{{}}}
	for tid := range mostLanes {
		thread := ledger.Thread{Thread: contention.Thread{PID: 1, TID: tid + 1}}
		for i := range 10 {
			at := time.Second + time.Duration(i)*100*time.Millisecond
			held := at + time.Duration(i*(tid+7)%10)*10*time.Millisecond
			thread.Entries = append(thread.Entries,
				ledger.Entry{Kind: ledger.Waiting, Begin: at, End: held},
				ledger.Entry{Kind: ledger.Holding, Begin: held, End: at + 100*time.Millisecond})
		}
		l.Threads = append(l.Threads, thread)
	}
	return l
}

// busyFolder holds n runs, all of them misses, of busyLedger.
func busyFolder(t testing.TB, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "busy")
	plan := results.Plan{Schema: results.PlanSchema, RunID: "busy", Analyzers: []string{"rca"}}
	for i := range n {
		plan.Runs = append(plan.Runs, results.Run{Index: i, Scenario: fmt.Sprintf("mutex-%d", i%60), Variant: contention.FaultVariant, Seed: uint64(i)})
	}
	store, err := results.Create(dir, plan, results.Env{}, results.StoreOptions{})
	require.NoError(t, err)
	data, err := json.Marshal(busyLedger())
	require.NoError(t, err)
	require.NoError(t, store.PutFile("ledgers/0.json.zst", data))
	for _, planned := range plan.Runs {
		r := results.Record{Run: planned, Analyzer: "rca", Verdict: results.Miss}
		r.Truth.Culprits = []results.Culprit{{TID: 3}}
		r.Truth.Ledger = "ledgers/0.json.zst"
		require.NoError(t, store.Append(r))
	}
	require.NoError(t, store.Close())
	return dir
}
