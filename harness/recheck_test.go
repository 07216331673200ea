// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// playedFolder is a folder that a run of two fakes left: a fault and its twin.
func playedFolder(t *testing.T, workload string) *results.Folder {
	t.Helper()
	plan := results.Plan{
		Schema: results.PlanSchema, RunID: "test", Analyzers: []string{"accuser", "silent"},
		Runs: []results.Run{faultRun(0, workload), twinRun(1, workload)},
	}
	env := results.Env{KernelRelease: "6.18.44", CPUs: 2}
	store, err := results.Create(filepath.Join(t.TempDir(), "run"), plan, env, results.StoreOptions{})
	require.NoError(t, err)
	defer store.Close()
	_, err = runFakes(t, Options{Sink: store, Kernel: env.KernelRelease, CPUs: env.CPUs}, plan.Runs...)
	require.NoError(t, err)
	folder, err := results.Open(store.Dir())
	require.NoError(t, err)
	require.Empty(t, folder.Warnings)
	return folder
}

// forge changes a ledger of a folder.
func forge(t *testing.T, f *results.Folder, name string, change func(*ledger.Ledger)) {
	t.Helper()
	data, err := results.ReadFile(f.Dir, name)
	require.NoError(t, err)
	l, err := ledger.DecodeJSON(data)
	require.NoError(t, err)
	change(l)
	data, err = json.Marshal(l)
	require.NoError(t, err)
	require.NoError(t, results.PutFile(f.Dir, name, data, nil))
}

// recheckFake is what score does.
func recheckFake(f *results.Folder, change ...func(*scenarios.Scenario)) {
	var list []scenarios.Scenario
	for name := range fakes() {
		s := fakeScenario(name)
		for _, c := range change {
			c(&s)
		}
		list = append(list, s)
	}
	Recheck(f, list)
	f.Regrade(func(string) bool { return false })
}

const (
	faultLedger = "ledgers/0.json.zst"
	twinLedger  = "ledgers/1.json.zst"
	aFault      = "run 0, mutex-good fault, seed 1, accuser: "
)

func TestRecheckFindsNothingInAnHonestFolder(t *testing.T) {
	for _, workload := range []string{"good", "weak", "hot-twin", "unlike", "dropping", "unstopped", "delayed", "starved", "killed", "unmarked"} {
		t.Run(workload, func(t *testing.T) {
			f := playedFolder(t, workload)
			recorded := append([]results.Record{}, f.Records...)
			recheckFake(f)
			assert.Empty(t, f.Doubts)
			for i, r := range f.Records {
				assert.Equal(t, recorded[i].Verdict, r.Verdict)
				assert.Equal(t, recorded[i].Ranks, r.Ranks)
			}
		})
	}
}

// exchange has the other thread marked as the culprit.
func exchange(l *ledger.Ledger) {
	for i := range l.Threads {
		l.Threads[i].Culprit = !l.Threads[i].Culprit
	}
}

// halve takes away most of the time for which the victim waited.
func halve(l *ledger.Ledger) {
	for i := range l.Threads {
		e := &l.Threads[i].Entries[0]
		e.End = e.Begin + 20*time.Millisecond
	}
}

func TestRecheckOfForgedLedgers(t *testing.T) {
	for name, test := range map[string]struct {
		forge   func(*testing.T, *results.Folder)
		says    []string
		verdict results.Verdict
	}{
		"a wrong culprit": {
			func(t *testing.T, f *results.Folder) { forge(t, f, faultLedger, exchange) },
			[]string{
				"recorded with thread 52 as the culprit, by its ledger it is thread 51",
				"its ledger marks other threads as culprits ([0]) than its twin's ([1])",
				"recorded as hit, but by its ledger it is invalid: the fault did not bite: it cost 0s a second, floor 100ms",
			},
			results.Invalid,
		},
		"a wrong culprit from the start": {
			func(t *testing.T, f *results.Folder) {
				forge(t, f, faultLedger, exchange)
				for i := range f.Records {
					f.Records[i].Truth.Culprits = []results.Culprit{{TID: victimTID, Start: fakeStart}}
				}
			},
			[]string{"its ledger marks other threads as culprits ([0]) than its twin's ([1])", "the fault did not bite"},
			results.Invalid,
		},
		"a fault that does not bite": {
			func(t *testing.T, f *results.Folder) { forge(t, f, faultLedger, halve) },
			[]string{
				"its record and its ledger differ in direct_ns, root_ns, edges, ways, wait_ns",
				"recorded as hit, but by its ledger it is invalid: the fault did not bite: it cost 20ms a second, floor 100ms",
			},
			results.Invalid,
		},
		"a twin that waits as much": {
			func(t *testing.T, f *results.Folder) {
				forge(t, f, twinLedger, func(l *ledger.Ledger) {
					for i := range l.Threads {
						l.Threads[i].Entries[0].End += 200 * time.Millisecond
					}
				})
			},
			[]string{"recorded as hit, but by its ledger it is invalid: the fault did not bite: it cost 500ms a second, its twin 210ms"},
			results.Invalid,
		},
		"a twin that does nothing": {
			func(t *testing.T, f *results.Folder) {
				forge(t, f, twinLedger, func(l *ledger.Ledger) {
					for i := range l.Threads {
						l.Threads[i].Entries, l.Threads[i].Acquisitions = nil, 0
					}
				})
			},
			[]string{"recorded as hit, but by its ledger it is invalid: not a twin: its acquisitions differ by -100 %"},
			results.Invalid,
		},
		"a ledger that was full": {
			func(t *testing.T, f *results.Folder) {
				forge(t, f, faultLedger, func(l *ledger.Ledger) { l.Threads[0].Dropped = 3 })
			},
			[]string{"recorded as hit, but by its ledger it is untrusted: 3 entries did not fit the ledger"},
			results.Untrusted,
		},
		"too many culprits": {
			func(t *testing.T, f *results.Folder) {
				forge(t, f, faultLedger, func(l *ledger.Ledger) { l.Threads[0].Culprit = true })
			},
			[]string{"recorded as hit, but by its ledger it is infra: ledger marks 2 culprits in a fault, scenario declares 1"},
			results.Infra,
		},
		"a damaged ledger": {
			func(t *testing.T, f *results.Folder) {
				require.NoError(t, results.PutFile(f.Dir, faultLedger, []byte(`{"go_ns":9,"stop_ns":9}`), nil))
			},
			[]string{"its ledger cannot be read: malformed ledger: window from 9 to 9"},
			results.Hit,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := playedFolder(t, "good")
			test.forge(t, f)
			recheckFake(f)
			requireDoubts(t, f, aFault, test.says)
			assert.Equal(t, test.verdict, f.Records[0].Verdict)
		})
	}
}

// requireDoubts finds each saying, in a sentence about the same run.
func requireDoubts(t *testing.T, f *results.Folder, run string, says []string) {
	t.Helper()
	for _, want := range says {
		found := false
		for _, doubt := range f.Doubts {
			found = found || strings.HasPrefix(doubt, run) && strings.Contains(doubt, want)
		}
		assert.True(t, found, "%q is not among %q", want, f.Doubts)
	}
}

func TestRecheckOfForgedRecords(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(*results.Record)
		says    string
		verdict results.Verdict
	}{
		"a miss relabelled as invalid": {
			func(r *results.Record) { r.Verdict, r.Reason = results.Invalid, "the fault did not bite" },
			"recorded as invalid (the fault did not bite), but nothing in its ledger speaks against the run", results.Invalid,
		},
		"a miss relabelled as untrusted": {
			func(r *results.Record) { r.Verdict, r.Reason = results.Untrusted, "machine too busy" },
			"recorded as untrusted (machine too busy), but nothing in its ledger speaks against the run", results.Untrusted,
		},
		"a miss relabelled as a breakdown": {
			func(r *results.Record) { r.Verdict, r.Reason = results.Infra, "crashed" },
			"recorded as infra (crashed), but nothing in its ledger speaks against the run", results.Infra,
		},
		"a miss relabelled as a timeout": {
			func(r *results.Record) { r.Verdict, r.Reason = results.Timeout, "slow" },
			"recorded as timeout (slow), but nothing in its ledger speaks against the run", results.Timeout,
		},
		"a kernel that could": {
			func(r *results.Record) {
				r.Verdict, r.Reason, r.Truth = results.Unsupported, "needs kernel 5.8", results.Truth{}
			},
			"recorded as unsupported (needs kernel 5.8), but kernel 6.18.44 and 2 CPUs are what it needs", results.Unsupported,
		},
		"a hit claimed": {
			func(r *results.Record) { r.Findings = nil },
			"recorded as hit, graded as miss", results.Miss,
		},
		"ranks that are off by one": {
			func(r *results.Record) { r.Ranks.Thread++ },
			"recorded with rank 2 by thread, its findings give 1 by thread", results.Hit,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := playedFolder(t, "good")
			test.change(&f.Records[0])
			recheckFake(f)
			requireDoubts(t, f, aFault, []string{test.says})
			assert.Equal(t, test.verdict, f.Records[0].Verdict)
		})
	}
}

func TestRecheckLeavesOutWhatWasKeptOutForAReason(t *testing.T) {
	for name, change := range map[string]func(*results.Record){
		"events lost": func(r *results.Record) { r.Verdict, r.Loss.RingFull = results.Untrusted, 70 },
		"does not add up": func(r *results.Record) {
			r.Verdict, r.Totals = results.Infra, contention.Totals{WaitTime: 5, Blame: 4}
		},
		"lost": func(r *results.Record) { *r = results.Record{Run: r.Run, Analyzer: r.Analyzer, Verdict: results.Lost} },
	} {
		f := playedFolder(t, "good")
		change(&f.Records[0])
		recheckFake(f)
		assert.Empty(t, f.Doubts, name)
	}
	f := playedFolder(t, "good")
	f.Records[0].Verdict = results.Untrusted
	forge(t, f, faultLedger, func(l *ledger.Ledger) { l.Threads[0].RunDelay = 50 * time.Millisecond })
	recheckFake(f)
	for _, doubt := range f.Doubts {
		assert.NotContains(t, doubt, "nothing in its ledger", "other programs may have had the CPU")
	}
}

func TestRecheckOfAKernelThatCouldNot(t *testing.T) {
	f := playedFolder(t, "good")
	f.Env.KernelRelease = "5.4.0"
	f.Records[0] = results.Record{Run: f.Records[0].Run, Analyzer: "accuser", Verdict: results.Unsupported}
	recheckFake(f)
	assert.Empty(t, f.Doubts)
}

func TestRecheckWithoutLedgers(t *testing.T) {
	f := playedFolder(t, "good")
	require.NoError(t, os.RemoveAll(filepath.Join(f.Dir, "ledgers")))
	f.Records[3].Truth.Ledger = ""
	recheckFake(f)
	assert.Equal(t, []string{"the ledgers of 4 of 4 records are not there: their truth cannot be computed again"}, f.Doubts)
	assert.Equal(t, results.Hit, f.Records[0].Verdict)
}

func TestRecheckOfAnUnknownScenario(t *testing.T) {
	f := playedFolder(t, "good")
	Recheck(f, nil)
	require.NotEmpty(t, f.Doubts)
	assert.Contains(t, f.Doubts[0], "the catalogue has no such scenario any more")
}

// A peer's records are held against the ledgers of its own runs.
func TestRecheckOfPeers(t *testing.T) {
	plan := results.Plan{
		Schema: results.PlanSchema, RunID: "test", Analyzers: []string{"accuser", "peer:right", "peer:absent"},
		Runs: []results.Run{faultRun(0, "good"), twinRun(1, "good")},
	}
	store, err := results.Create(filepath.Join(t.TempDir(), "run"), plan, results.Env{KernelRelease: "6.18.44", CPUs: 2}, results.StoreOptions{})
	require.NoError(t, err)
	defer store.Close()
	require.NoError(t, Run(t.Context(), plan, Options{
		Stage: stageOfFakes(t), Observer: &fakeObserver{}, Analyzers: []Analyzer{{"accuser", accuser}}, Sink: store,
		Peers: []Peer{
			{"peer:right", fakePeer{&fakeObserver{}, accusation(culpritTID)}},
			{"peer:absent", fakePeer{fakeObserver: &fakeObserver{attachErr: ErrAbsent}}},
		},
		Scenarios: []scenarios.Scenario{fakeScenario("good")},
	}))
	f, err := results.Open(store.Dir())
	require.NoError(t, err)
	recheckFake(f)
	assert.Empty(t, f.Doubts)

	forge(t, f, "ledgers/0-right.json.zst", halve)
	recheckFake(f)
	requireDoubts(t, f, "run 0, mutex-good fault, seed 1, peer:right: ", []string{"by its ledger it is invalid"})
	for _, doubt := range f.Doubts {
		assert.Contains(t, doubt, "peer:right")
	}
}
