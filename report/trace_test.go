// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// readTrace is a trace as another program reads it.
type readTrace struct {
	Events []struct {
		Phase     string `json:"ph"`
		Name      string
		PID, TID  int
		Begin     float64        `json:"ts"`
		Length    float64        `json:"dur"`
		Category  string         `json:"cat"`
		Arguments map[string]any `json:"args"`
	} `json:"traceEvents"`
}

// checkTrace reads a trace back and checks that all slices of a track nest or stand
// apart, in the order of their beginnings, and that each track has a name.
func checkTrace(t testing.TB, l *ledger.Ledger, r results.Record) readTrace {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteTrace(&b, l, r))
	var trace readTrace
	require.NoError(t, json.Unmarshal(b.Bytes(), &trace))
	type track struct{ pid, tid int }
	named := map[track]bool{}
	open := map[track][]float64{}
	last := map[track]float64{}
	for _, e := range trace.Events {
		at := track{e.PID, e.TID}
		if e.Phase == "M" {
			named[at] = named[at] || e.Name == "thread_name"
			continue
		}
		require.Equal(t, "X", e.Phase)
		require.True(t, named[at], "track %v has no name", at)
		require.GreaterOrEqual(t, e.Length, 0.0)
		require.GreaterOrEqual(t, e.Begin, last[at])
		last[at] = e.Begin
		const rounding = 1e-3 // a nanosecond
		for n := len(open[at]); n > 0 && open[at][n-1] <= e.Begin+rounding; n-- {
			open[at] = open[at][:n-1]
		}
		if n := len(open[at]); n > 0 {
			require.LessOrEqual(t, e.Begin+e.Length, open[at][n-1]+rounding, "%q overlaps", e.Name)
		}
		open[at] = append(open[at], e.Begin+e.Length)
	}
	return trace
}

func TestWriteTrace(t *testing.T) {
	r := results.Record{
		Analyzer: "rca", Verdict: results.Miss, Findings: append(accusing(1), contention.Finding{Class: contention.External}),
		Truth: results.Truth{Culprits: []results.Culprit{{TID: 2, Start: time.Second}}, Decoys: []results.Decoy{{TID: 3, Label: "most-cpu"}}},
	}
	trace := checkTrace(t, sample(), r)
	names, slices := map[int]string{}, map[string][4]float64{}
	for _, e := range trace.Events {
		switch {
		case e.Name == "thread_name" || e.Name == "process_name":
			names[e.TID], _ = e.Arguments["name"].(string)
		case e.Phase == "X":
			slices[e.Name] = [4]float64{float64(e.PID), float64(e.TID), e.Begin, e.Length}
		}
	}
	assert.Equal(t, map[int]string{
		1: "w 1", 2: "2 (culprit)", 3: "3 (decoy: most-cpu)", 10: "rca found: miss", 11: "finding 1", 12: "finding 2",
	}, names)
	assert.Equal(t, map[string][4]float64{
		"waiting mutex 0x10": {9, 1, 0, 500_000}, "holding mutex 0x10": {9, 2, 0, 500_000},
		"lock-holder w 1": {10, 11, 0, 1_000_000}, "external": {10, 12, 0, 1_000_000},
	}, slices)
}

// A thread that takes locks hand over hand holds what does not nest.
func TestWriteTraceOfLocksHandOverHand(t *testing.T) {
	hold := func(begin, end time.Duration) ledger.Entry {
		return ledger.Entry{Kind: ledger.Holding, Begin: begin, End: end}
	}
	l := &ledger.Ledger{
		Go: 1, Stop: 100, Resources: []ledger.Resource{{}},
		Threads: []ledger.Thread{{
			Thread:  contention.Thread{PID: 1, TID: 1},
			Entries: []ledger.Entry{hold(10, 30), hold(20, 40), hold(35, 50), hold(36, 0), hold(20, 25), hold(60, 60)},
		}},
	}
	tracks := map[int][]int{}
	for _, e := range checkTrace(t, l, results.Record{}).Events {
		if e.Phase == "X" && e.PID == 1 {
			tracks[e.TID] = append(tracks[e.TID], 1+int(math.Round(e.Begin*1000)))
		}
	}
	assert.Equal(t, map[int][]int{1: {10, 20, 35, 60}, 2: {20}, 3: {36}}, tracks)
}

func TestWriteTraceThatCannotBeWritten(t *testing.T) {
	assert.ErrorContains(t, WriteTrace(full{}, sample(), results.Record{}), "write trace: no room")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }
