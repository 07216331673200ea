// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// fakePeer answers itself.
type fakePeer struct {
	*fakeObserver
	answer contention.Analysis
}

func (p fakePeer) Attach(ctx context.Context, pid int) (Observation, error) {
	o, err := p.fakeObserver.Attach(ctx, pid)
	if err != nil {
		return nil, err
	}
	return fakeAnswerer{o, p.answer}, nil
}

type fakeAnswerer struct {
	Observation
	answer contention.Analysis
}

func (a fakeAnswerer) Finish(ctx context.Context, w contention.Window) (*contention.Trace, error) {
	_, err := a.Observation.Finish(ctx, w)
	return nil, err
}

func (a fakeAnswerer) Answer() contention.Analysis { return a.answer }

func accusation(tids ...int) contention.Analysis {
	var a contention.Analysis
	for i, tid := range tids {
		a.Findings = append(a.Findings, contention.Finding{Rank: i + 1, Culprit: &contention.Thread{TID: tid}})
	}
	return a
}

// runPeers plays a good fault and its twin under an analyser and peers.
func runPeers(t *testing.T, observer Observer, list ...Peer) *memorySink {
	t.Helper()
	sink := &memorySink{}
	plan := results.Plan{Schema: results.PlanSchema, RunID: "test", Runs: []results.Run{faultRun(0, "good"), twinRun(1, "good")}}
	for _, p := range list {
		plan.Analyzers = append(plan.Analyzers, p.Name)
	}
	plan.Analyzers = append(plan.Analyzers, "accuser")
	var last Event
	require.NoError(t, Run(t.Context(), plan, Options{
		Stage: stageOfFakes(t), Observer: observer, Analyzers: []Analyzer{{"accuser", accuser}}, Peers: list, Sink: sink,
		Scenarios: []scenarios.Scenario{fakeScenario("good")}, Progress: func(e Event) { last = e },
	}))
	assert.Equal(t, 2+2*len(list), last.Total)
	requireNoChildren(t)
	return sink
}

// A peer watches a run of its own and is graded as analysers are, by the ledger of that run.
func TestPeersPlayTheRunAgain(t *testing.T) {
	ours, theirs := &fakeObserver{}, &fakeObserver{}
	sink := runPeers(t, ours,
		Peer{"peer:right", fakePeer{theirs, accusation(culpritTID)}},
		Peer{"peer:wrong", fakePeer{theirs, accusation(victimTID, culpritTID)}},
		Peer{"peer:silent", fakePeer{theirs, accusation()}})
	assert.Equal(t, map[key]results.Verdict{
		{0, "accuser"}: results.Hit, {0, "peer:right"}: results.Hit, {0, "peer:wrong"}: results.Miss, {0, "peer:silent"}: results.Miss,
		{1, "accuser"}: results.FalseAlarm, {1, "peer:right"}: results.FalseAlarm, {1, "peer:wrong"}: results.FalseAlarm, {1, "peer:silent"}: results.CorrectReject,
	}, verdicts(sink.records))
	assert.Len(t, ours.pids, 2)
	assert.Len(t, theirs.pids, 6)
	assert.Equal(t, 6, theirs.closed)
	for _, r := range sink.records {
		want := fmt.Sprintf("ledgers/%d.json.zst", r.Index)
		if results.IsPeer(r.Analyzer) {
			want = fmt.Sprintf("ledgers/%d-%s.json.zst", r.Index, r.Analyzer[len(results.PeerPrefix):])
		}
		assert.Equal(t, want, r.Truth.Ledger)
		assert.Contains(t, sink.files, want)
		if r.Analyzer == "peer:wrong" && r.Index == 0 {
			assert.Equal(t, 2, r.Ranks.Thread)
			assert.True(t, r.DecoyFirst)
		}
	}
}

// A peer that is not there, or cannot work here, says so in each record.
func TestAbsentPeersAreRecorded(t *testing.T) {
	absent := &fakeObserver{attachErr: fmt.Errorf("%w: offcputime is not installed", ErrAbsent)}
	sink := runPeers(t, &fakeObserver{}, Peer{"peer:offcputime", fakePeer{fakeObserver: absent}})
	for _, r := range sink.records {
		if results.IsPeer(r.Analyzer) {
			assert.Equal(t, results.Unsupported, r.Verdict)
			assert.Equal(t, "attach observer: absent: offcputime is not installed", r.Reason)
			continue
		}
		assert.True(t, r.Verdict.Valid())
	}
	assert.Len(t, sink.records, 4)
}

// A fault that a peer still has to watch is held against the twin that it watched before.
func TestPeersGoOnWithTheirTwins(t *testing.T) {
	twin := twinRun(1, "good")
	plan := results.Plan{Analyzers: []string{"accuser", "peer:right"}, Runs: []results.Run{faultRun(0, "good")}}
	runners, err := newRunners(plan, Options{
		Observer: &fakeObserver{}, Sink: &memorySink{}, Analyzers: []Analyzer{{"accuser", accuser}},
		Peers: []Peer{{"peer:right", fakePeer{}}},
		Twins: []Twin{{Run: twin, Ledger: fake{}.ledger("twin"), Peer: "peer:right"}},
	})
	require.NoError(t, err)
	require.Len(t, runners, 2)
	assert.Nil(t, runners[0].pairs.twins[pairOf(twin)])
	assert.NotNil(t, runners[1].pairs.twins[pairOf(twin)])
}
