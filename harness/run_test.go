// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// accuser always accuses the culprit of the fakes, silent nobody.
func accuser(*contention.Trace) contention.Analysis {
	culprit := contention.Thread{TID: culpritTID, Start: fakeStart}
	return contention.Analysis{
		Findings: []contention.Finding{{Rank: 1, Class: contention.LockHolder, Culprit: &culprit}},
		Charges:  []contention.Charge{{Thread: culprit, Blame: 450 * time.Millisecond}},
		Totals:   contention.Totals{WaitTime: 450 * time.Millisecond, Blame: 450 * time.Millisecond},
	}
}

func silent(*contention.Trace) contention.Analysis { return contention.Analysis{} }

func faultRun(index int, workload string) results.Run {
	return results.Run{Index: index, Scenario: "mutex-" + workload, Variant: contention.FaultVariant, Seed: 1}
}

func twinRun(index int, workload string) results.Run {
	r := faultRun(index, workload)
	r.Variant = contention.TwinVariant
	return r
}

// runFakes plays runs of fakes under both analysers.
func runFakes(t *testing.T, o Options, runs ...results.Run) (*memorySink, error) {
	t.Helper()
	sink := &memorySink{}
	if o.Sink == nil {
		o.Sink = sink
	}
	if o.Observer == nil {
		o.Observer = &fakeObserver{}
	}
	if o.WorkloadDir == "" {
		o.Stage = stageOfFakes(t)
	}
	o.Analyzers = []Analyzer{{"accuser", accuser}, {"silent", silent}}
	for name := range fakes() {
		o.Scenarios = append(o.Scenarios, fakeScenario(name))
	}
	plan := results.Plan{Schema: results.PlanSchema, RunID: "test", Analyzers: []string{"accuser", "silent"}, Runs: runs}
	err := Run(t.Context(), plan, o)
	requireNoChildren(t)
	return sink, err
}

type key struct {
	index    int
	analyzer string
}

func verdicts(list []results.Record) map[key]results.Verdict {
	m := map[key]results.Verdict{}
	for _, r := range list {
		m[key{r.Index, r.Analyzer}] = r.Verdict
	}
	return m
}

func TestRunGradesEveryAnalyser(t *testing.T) {
	observer := &fakeObserver{}
	var events []Event
	sink, err := runFakes(t, Options{Observer: observer, Progress: func(e Event) { events = append(events, e) }},
		faultRun(0, "good"), twinRun(1, "good"))
	require.NoError(t, err)
	assert.Equal(t, map[key]results.Verdict{
		{0, "accuser"}: results.Hit,
		{0, "silent"}:  results.Miss,
		{1, "accuser"}: results.FalseAlarm,
		{1, "silent"}:  results.CorrectReject,
	}, verdicts(sink.records))

	require.Len(t, events, 4)
	assert.Equal(t, []int{0, 0, 1, 2}, []int{events[0].Done, events[1].Done, events[2].Done, events[3].Done})
	assert.Equal(t, 1, events[2].Run.Index, "the twin is recorded first: the fault waits for it")
	assert.Len(t, events[3].Records, 2)

	require.Len(t, observer.pids, 2)
	assert.NotEqual(t, observer.pids[0], observer.pids[1])
	assert.Less(t, observer.windows[0].Begin, observer.windows[0].End)
	assert.LessOrEqual(t, observer.windows[0].End, observer.windows[1].Begin, "from when the threads were let go to the end")
	assert.Equal(t, 2, observer.closed)
}

func TestRecordHoldsTheTruthAndTheLedger(t *testing.T) {
	sink, err := runFakes(t, Options{Observer: &fakeObserver{}}, twinRun(0, "good"), faultRun(1, "good"))
	require.NoError(t, err)
	require.Len(t, sink.records, 4)
	r := sink.records[2]
	assert.Equal(t, 1, r.Index)
	assert.Empty(t, r.Reason)
	assert.Equal(t, contention.LockHolder, r.Truth.Class)
	assert.Equal(t, culpritTID, r.Truth.Culprits[0].TID)
	assert.Equal(t, 500*time.Millisecond, r.Truth.WaitTime)
	assert.Equal(t, []results.Decoy{{TID: victimTID, Label: "longest wait"}}, r.Truth.Decoys)
	assert.Equal(t, 1, r.Ranks.Thread)
	assert.InDelta(t, 0.1, r.Blame.Error, 1e-9)
	assert.Equal(t, uint64(10), r.Overhead.Events)
	assert.Positive(t, r.Timing.Setup)
	assert.Positive(t, r.Timing.Capture)
	require.Equal(t, "ledgers/1.json.zst", r.Truth.Ledger)
	var l ledger.Ledger
	require.NoError(t, json.Unmarshal(sink.files[r.Truth.Ledger], &l))
	assert.Equal(t, fakeGo, l.Go)
}

func TestVerdictsOfRunsThatDoNotCount(t *testing.T) {
	failure := errors.New("no such program")
	for name, test := range map[string]struct {
		workload string
		observer *fakeObserver
		change   func(*Options)
		verdict  results.Verdict
		reason   string
	}{
		"fault below the floor":  {workload: "weak", verdict: results.Invalid, reason: "it cost 5ms a second, floor 100ms"},
		"fault like its twin":    {workload: "hot-twin", verdict: results.Invalid, reason: "it cost 500ms a second, its twin 200ms"},
		"wrong culprits":         {workload: "unmarked", verdict: results.Infra, reason: "ledger marks 0 culprits in a fault, scenario declares 1"},
		"cut short":              {workload: "unstopped", verdict: results.Untrusted, reason: "cut short"},
		"ledger full":            {workload: "dropping", verdict: results.Untrusted, reason: "7 entries did not fit"},
		"waits are run delay":    {workload: "delayed", verdict: results.Untrusted, reason: "culprits cost 500ms, and they and their victims lacked a CPU for 300ms"},
		"torn ledger":            {workload: "torn", verdict: results.Infra, reason: "read ledger: thread 1: "},
		"no ledger":              {workload: "empty", verdict: results.Infra, reason: "read ledger: read header: malformed ledger: truncated"},
		"never ready":            {workload: "mute", change: func(o *Options) { o.Ready = 50 * time.Millisecond }, verdict: results.Timeout, reason: `hear "ready" from the workload: timed out after 50ms`},
		"never done":             {workload: "deaf", change: func(o *Options) { o.Margin = 50 * time.Millisecond }, verdict: results.Timeout, reason: `hear "done"`},
		"does not end":           {workload: "lingering", change: func(o *Options) { o.Margin = time.Second }, verdict: results.Timeout, reason: "wait for the workload to end: timed out after 1s"},
		"ends badly":             {workload: "failing", verdict: results.Infra, reason: "exit status 1: no join"},
		"dies before ready":      {workload: "early", verdict: results.Infra, reason: `hear "ready" from the workload: unexpected EOF: it ended with exit status 3: cannot map`},
		"dies after ready":       {workload: "killed", verdict: results.Infra, reason: "signal: killed"},
		"no workload":            {workload: "good", change: func(o *Options) { o.WorkloadDir = "/nonexistent" }, verdict: results.Infra, reason: "start workload: "},
		"kernel too old":         {workload: "good", change: func(o *Options) { o.Kernel = "5.4.0-1-amd64" }, verdict: results.Unsupported, reason: "needs kernel 5.8, has 5.4.0-1-amd64"},
		"kernel not sound":       {workload: "good", change: func(o *Options) { o.Health = func() error { return failure } }, verdict: results.Infra, reason: "no such program"},
		"cannot attach":          {workload: "good", observer: &fakeObserver{attachErr: failure}, verdict: results.Infra, reason: "attach observer: no such program"},
		"attaching comes late":   {workload: "good", observer: &fakeObserver{lateAttach: true}, change: func(o *Options) { o.Observe = 50 * time.Millisecond }, verdict: results.Timeout, reason: "attach observer: timed out"},
		"attaching takes long":   {workload: "good", observer: &fakeObserver{blockAttach: true}, change: func(o *Options) { o.Observe = 50 * time.Millisecond }, verdict: results.Timeout, reason: "attach observer: timed out"},
		"cannot finish":          {workload: "good", observer: &fakeObserver{finishErr: failure}, verdict: results.Infra, reason: "finish observing: no such program"},
		"finishing takes long":   {workload: "good", observer: &fakeObserver{blockFinish: true}, change: func(o *Options) { o.Observe = 50 * time.Millisecond }, verdict: results.Timeout, reason: "finish observing: timed out"},
		"events lost":            {workload: "good", observer: &fakeObserver{trace: contention.Trace{Loss: contention.Loss{RingFull: 3}}}, verdict: results.Untrusted, reason: "3 events lost"},
		"observer came detached": {workload: "good", observer: &fakeObserver{trace: contention.Trace{Loss: contention.Loss{Detached: 1}}}, verdict: results.Untrusted, reason: "detached"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Stage: stageOfFakes(t)}
			if test.observer != nil {
				o.Observer = test.observer
			}
			if test.change != nil {
				test.change(&o)
			}
			sink, err := runFakes(t, o, faultRun(0, test.workload), twinRun(1, test.workload))
			require.NoError(t, err)
			require.Len(t, sink.records, 4, "the plan goes on")
			for _, r := range sink.records {
				if r.Index == 0 {
					assert.Equal(t, test.verdict, r.Verdict)
					assert.Contains(t, r.Reason, test.reason)
					assert.Empty(t, r.Findings, "analysed though it does not count")
				}
			}
		})
	}
}

func TestControlStarvedByOthersIsNotTrusted(t *testing.T) {
	sink, err := runFakes(t, Options{}, twinRun(0, "starved"))
	require.NoError(t, err)
	assert.Equal(t, results.Untrusted, sink.records[0].Verdict)
	assert.Contains(t, sink.records[0].Reason, "lacked a CPU for 1.2s, 60 % of their time")
}

func TestOnlyABusyMachineIsAReasonToPlayAgain(t *testing.T) {
	sink, err := runFakes(t, Options{Retries: 2}, twinRun(0, "starved"), twinRun(1, "dropping"), twinRun(2, "good"))
	require.NoError(t, err)
	dropped := map[int]int{}
	for _, r := range sink.records {
		dropped[r.Index] = len(r.Dropped)
	}
	assert.Equal(t, map[int]int{0: 2, 1: 0, 2: 0}, dropped)
	assert.Contains(t, sink.records[0].Dropped[0], "machine too busy")
	assert.Equal(t, results.Untrusted, sink.records[0].Verdict, "the last attempt counts")
}

func TestAnAnalysisMustAddUp(t *testing.T) {
	right := accuser(nil)
	assert.True(t, addsUp(right).valid())
	right.Totals.External = time.Nanosecond
	assert.Equal(t, results.Infra, addsUp(right).verdict, "set apart and charged")
	right = accuser(nil)
	right.Charges = append(right.Charges, right.Charges[0])
	assert.Equal(t, results.Infra, addsUp(right).verdict, "charged twice")
}

func TestATwinMustDoTheSameWork(t *testing.T) {
	sink, err := runFakes(t, Options{}, faultRun(0, "unlike"), twinRun(1, "unlike"), faultRun(2, "good"))
	require.NoError(t, err)
	reasons := map[int]string{}
	for _, r := range sink.records {
		reasons[r.Index] = r.Reason
	}
	assert.Equal(t, results.Invalid, verdicts(sink.records)[key{0, "accuser"}])
	assert.Contains(t, reasons[0], "not a twin: its acquisitions differ by +900 %")
	assert.Equal(t, results.Hit, verdicts(sink.records)[key{2, "accuser"}])
	assert.Equal(t, "not held against a twin", reasons[2])
}

func TestNoProcessIsLeftOfAWorkloadThatForks(t *testing.T) {
	sink, err := runFakes(t, Options{}, faultRun(0, "parent"))
	require.NoError(t, err)
	require.Equal(t, results.Hit, sink.records[0].Verdict, sink.records[0].Reason)
	requireGone(t, sink.records[0].Truth.Culprits[0].PID)
}

func TestRunEndsWithItsContext(t *testing.T) {
	for name, observer := range map[string]*fakeObserver{
		"while the observer attaches": {blockAttach: true},
		"while the observer finishes": {blockFinish: true},
		"while the workload runs":     {},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			workload, sink := "good", &memorySink{}
			if name == "while the workload runs" {
				workload = "deaf"
			}
			ended := make(chan error, 1)
			go func() {
				ended <- Run(ctx, results.Plan{Analyzers: []string{"accuser"}, Runs: []results.Run{faultRun(0, workload), twinRun(1, workload)}}, Options{
					Stage: stageOfFakes(t), Observer: observer, Sink: sink,
					Analyzers: []Analyzer{{"accuser", accuser}}, Scenarios: []scenarios.Scenario{fakeScenario(workload)},
				})
			}()
			require.Eventually(t, func() bool {
				observer.mu.Lock()
				defer observer.mu.Unlock()
				return len(observer.pids) > 0
			}, patience, time.Millisecond)
			cancel()
			select {
			case err := <-ended:
				require.ErrorIs(t, err, context.Canceled)
			case <-time.After(patience):
				require.Fail(t, "Run goes on")
			}
			assert.Empty(t, sink.records)
			requireNoChildren(t)
		})
	}
}

func TestRunStopsWhenItCannotRecord(t *testing.T) {
	full := errors.New("disk full")
	_, err := runFakes(t, Options{Sink: &memorySink{full: full}}, twinRun(0, "good"), twinRun(1, "good"))
	require.ErrorIs(t, err, full)
	assert.ErrorContains(t, err, "record run 0")
}

func TestRunRefusesAPlanItCannotPlay(t *testing.T) {
	plan := results.Plan{Analyzers: []string{"oracle"}, Runs: []results.Run{faultRun(0, "good")}}
	err := Run(t.Context(), plan, Options{Observer: &fakeObserver{}, Sink: &memorySink{}})
	require.ErrorContains(t, err, `unknown analyser "oracle"`)
	require.ErrorContains(t, Run(t.Context(), plan, Options{}), "no observer")
}

func TestAnUnknownScenarioIsRecorded(t *testing.T) {
	sink, err := runFakes(t, Options{}, faultRun(0, "unheard-of"), twinRun(1, "good"))
	require.NoError(t, err)
	assert.Equal(t, results.Infra, sink.records[0].Verdict)
	assert.Contains(t, sink.records[0].Reason, "unknown scenario mutex-unheard-of")
	assert.Len(t, sink.records, 4)
}

// The twin of hot-twin shows that its fault made no difference: so it does from before.
func TestRunHoldsAFaultAgainstATwinPlayedBefore(t *testing.T) {
	fault, twin := faultRun(0, "hot-twin"), twinRun(1, "hot-twin")
	sink, err := runFakes(t, Options{}, twin)
	require.NoError(t, err)
	var l ledger.Ledger
	require.NoError(t, json.Unmarshal(sink.files["ledgers/1.json.zst"], &l))

	sink, err = runFakes(t, Options{Twins: []Twin{{Run: twin, Ledger: &l}}}, fault)
	require.NoError(t, err)
	assert.Equal(t, results.Invalid, sink.records[0].Verdict, sink.records[0].Reason)
	assert.NotContains(t, sink.records[0].Reason, "not held against a twin")

	sink, err = runFakes(t, Options{}, fault)
	require.NoError(t, err)
	assert.Equal(t, results.Hit, sink.records[0].Verdict)
	assert.Contains(t, sink.records[0].Reason, "not held against a twin")
}
