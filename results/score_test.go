// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// folderOf makes a folder whose plan is that of the records, with indices and seeds
// given in their order, seeds apart for each scenario and variant.
func folderOf(analyzers []string, records ...Record) *Folder {
	f := &Folder{Plan: Plan{Schema: PlanSchema, RunID: testRunID, Analyzers: analyzers}}
	type group struct {
		scenario string
		variant  contention.Variant
	}
	next := map[group]uint64{}
	for i := 0; i < len(records); i += len(analyzers) {
		g := group{records[i].Scenario, records[i].Variant}
		next[g]++
		run := Run{Index: len(f.Plan.Runs), Scenario: g.scenario, Variant: g.variant, Seed: next[g]}
		f.Plan.Runs = append(f.Plan.Runs, run)
		for j, analyzer := range analyzers {
			r := records[i+j]
			r.Run, r.Analyzer, r.RunID = run, analyzer, testRunID
			f.Records = append(f.Records, r)
		}
	}
	return f
}

// play makes n records of a verdict, with findings and truth to match.
func play(n int, scenario string, variant contention.Variant, v Verdict) []Record {
	r := Record{Run: Run{Scenario: scenario, Variant: variant}, Verdict: v}
	if variant == fault {
		r.Truth = guilty(1)
	}
	switch v {
	case Hit:
		r.Findings = []contention.Finding{accuse(1)}
	case Miss, FalseAlarm:
		r.Findings = []contention.Finding{accuse(2)}
	}
	out := make([]Record, n)
	for i := range out {
		out[i] = r
	}
	return out
}

func join(parts ...[]Record) []Record {
	var all []Record
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

var rcaOnly = []string{"rca"}

func TestSummarizeFaults(t *testing.T) {
	truth := guilty(1, 2)
	truth.WaitTime = 100 * time.Second
	truth.Decoys = []Decoy{{TID: 9}}
	perfect := Record{Run: Run{Variant: fault, Seed: 1}, Verdict: Hit, Truth: truth,
		Findings: []contention.Finding{accuse(1), accuse(2)}, Blame: Blame{Error: .01, TVDistance: .02}, DetectedAfter: 300}
	half := Record{Run: Run{Variant: fault, Seed: 2}, Verdict: Miss, Truth: truth,
		Findings: []contention.Finding{accuse(9), accuse(8), accuse(7), accuse(2)}, Blame: Blame{Error: .21, TVDistance: .04},
		Totals: contention.Totals{External: 5 * time.Second, Open: 15 * time.Second}, DetectedAfter: 900}
	silent := Record{Run: Run{Variant: fault, Seed: 3}, Verdict: Miss, Truth: truth, Blame: Blame{Error: 1, TVDistance: 1}}
	ignored := Record{Run: Run{Variant: fault, Seed: 4}, Verdict: Untrusted, Truth: truth, Findings: perfect.Findings}

	s := Summarize([]Record{perfect, half, silent, ignored})
	assert.Equal(t, 4, s.Count)
	assert.Equal(t, map[Verdict]int{Hit: 1, Miss: 2, Untrusted: 1}, s.Verdicts)
	assert.Equal(t, Wilson(1, 3), s.Recall)
	assert.Equal(t, Wilson(1, 3), s.Thread.AC1)
	assert.Equal(t, Wilson(1, 3), s.Thread.AC3)
	assert.Equal(t, Wilson(1.5, 3), s.Thread.AC5)
	assert.InDelta(t, (1.0+1+1+1.5+1.5)/5/3, s.Thread.Avg5, 1e-12)
	assert.InDelta(t, (1+.25)/3, s.Thread.MRR, 1e-12)
	assert.Equal(t, Wilson(2, 3), s.Class)
	assert.Equal(t, Wilson(2, 3), s.Process)
	assert.Equal(t, Wilson(0, 3), s.Resource)
	assert.Equal(t, Wilson(0, 3), s.Frame)
	assert.InDelta(t, .0084, s.Exact.Recall.Low, 5e-5)
	assert.InDelta(t, .9057, s.Exact.Recall.High, 5e-5)
	assert.Equal(t, ClopperPearson(0, 3), s.Exact.Frame)
	assert.Equal(t, Wilson(1, 3), s.DecoyRate)
	assert.InDelta(t, .21, s.BlameError.Median, 1e-12)
	assert.InDelta(t, .21+.8*.79, s.BlameError.P90, 1e-12)
	assert.InDelta(t, .04, s.TVDistance.Median, 1e-12)
	assert.Equal(t, Spread{Median: 300, P90: 300, N: 1}, s.DetectedAfter)
	assert.InDelta(t, 0, s.Unexplained.Median, 1e-12)
	assert.InDelta(t, .2*.8, s.Unexplained.P90, 1e-12)
	assert.Equal(t, Wilson(3, 4), s.Validity)
	assert.Equal(t, Wilson(4, 4), s.Support)
	assert.Zero(t, s.FAR)
	assert.Nil(t, s.Youden, "not without specificity")
}

// A tool of others is graded by the threads and functions that it shows, and by nothing
// that it does not say.
func TestSummarizePeer(t *testing.T) {
	f := accuse(1)
	f.Class = ""
	f.Stacks = []contention.WeightedStack{{Role: contention.HoldingOffCPU, Frames: contention.Stack{{Function: "hold"}}}}
	r := Record{Run: Run{Variant: fault}, Analyzer: "peer:offcputime", Verdict: Hit, Truth: guilty(1), Findings: []contention.Finding{f}}
	r.Truth.WaitTime, r.Truth.Ways = time.Second, []Edge{{Waiter: 2, Holder: 1, Time: time.Second}}
	s := Summarize([]Record{r})
	assert.Equal(t, Wilson(1, 1), s.Recall)
	assert.Equal(t, Wilson(1, 1), s.Thread.AC1)
	assert.Equal(t, Wilson(1, 1), s.Frame)
	for _, p := range []Proportion{s.Class, s.Process, s.Resource, s.Edge} {
		assert.Zero(t, p.N)
	}
	for _, spread := range []Spread{s.BlameError, s.TVDistance, s.Unexplained} {
		assert.Zero(t, spread.N)
	}
	assert.Nil(t, s.ChainF1)
	r.Analyzer = "rca"
	assert.Equal(t, 1, Summarize([]Record{r}).Process.N)
	assert.False(t, IsPeer("rca"))
}

func TestSummarizeQuiet(t *testing.T) {
	s := Summarize(join(
		play(3, "m", twin, CorrectReject), play(1, "m", twin, FalseAlarm), play(1, "m", control, FalseAlarm),
		play(1, "m", twin, Unsupported), play(2, "m", twin, Lost)))
	assert.Equal(t, Wilson(2, 5), s.FAR)
	assert.InDelta(t, .0527, s.Exact.FAR.Low, 5e-5)
	assert.InDelta(t, .8534, s.Exact.FAR.High, 5e-5)
	assert.Equal(t, Wilson(3, 5), s.Specificity)
	assert.Equal(t, Wilson(7, 8), s.Support)
	assert.Equal(t, Wilson(5, 7), s.Validity)
	assert.Equal(t, map[contention.Variant]Proportion{twin: Wilson(4, 6), control: Wilson(1, 1)}, s.Variants)
	assert.Zero(t, s.Thread)
}

func TestYouden(t *testing.T) {
	s := Summarize(join(play(3, "m", fault, Hit), play(1, "m", fault, Miss), play(9, "m", twin, CorrectReject), play(1, "m", twin, FalseAlarm)))
	require.NotNil(t, s.Youden)
	assert.InDelta(t, .75+.9-1, *s.Youden, 1e-12)
}

func TestScoreGroups(t *testing.T) {
	var records []Record
	for range 2 {
		records = append(records, play(1, "mutex-hold", fault, Hit)[0], play(1, "mutex-hold", fault, Miss)[0])
		records = append(records, play(2, "control-quiet", control, CorrectReject)...)
	}
	s := Score(folderOf([]string{"rca", "last-waker"}, records...))
	require.Len(t, s.Scenarios, 4)
	for i, want := range [][2]string{{"mutex-hold", "rca"}, {"mutex-hold", "last-waker"}, {"control-quiet", "rca"}, {"control-quiet", "last-waker"}} {
		assert.Equal(t, want, [2]string{s.Scenarios[i].Scenario, s.Scenarios[i].Analyzer})
	}
	assert.Equal(t, 1.0, s.Scenarios[0].Recall.Value)
	assert.Equal(t, 0.0, s.Scenarios[1].Recall.Value)
	require.Len(t, s.Overall, 2)
	assert.Equal(t, 4, s.Overall[0].Runs)
	_, err := json.Marshal(s)
	assert.NoError(t, err)
}

// Whatever stands in records, figures come of it.
func FuzzScore(f *testing.F) {
	good := aRecord(Plan{RunID: testRunID, Analyzers: rcaOnly, Runs: []Run{{Scenario: "mutex-hold", Variant: fault, Dose: ms(1)}}}, 0, Hit)
	good.Findings, good.Truth = []contention.Finding{sure(0.9, 1)}, guilty(1)
	weak := good
	weak.Index, weak.Dose, weak.Verdict = 1, ms(0.1), Miss
	f.Add([]byte(lineOf(f, good) + lineOf(f, weak)))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := ReadRecords(bytes.NewReader(data))
		if err != nil {
			return
		}
		folder := &Folder{Plan: Plan{Analyzers: rcaOnly}, Records: read.Records}
		for i := range folder.Records {
			folder.Records[i].Analyzer = "rca"
			folder.Plan.Runs = append(folder.Plan.Runs, folder.Records[i].Run)
		}
		s := Score(folder)
		s.Outcome()
		require.NoError(t, errors.Join(WriteTable(io.Discard, s), WriteCalibration(io.Discard, s), WriteThresholds(io.Discard, s)))
		require.NoError(t, errors.Join(WriteBench(io.Discard, folder), WriteJUnit(io.Discard, folder), WriteMarkdown(io.Discard, folder, s)))
		c, err := Compare([]*Folder{folder, folder}, CompareOptions{Gate: true})
		require.NoError(t, err)
		require.NoError(t, c.Write(io.Discard))
		_, err = json.Marshal(s)
		require.NoError(t, err, "no figure is NaN")
	})
}
