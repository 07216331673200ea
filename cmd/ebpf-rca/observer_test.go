// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

func TestObserver(t *testing.T) {
	needRoot(t)
	p := perform(t, filepath.Join(stage(t, "mutex-hold"), "mutex-hold"), 1)
	begin := collector.Now()
	plain, err := observer{}.Attach(t.Context(), p.pid)
	require.NoError(t, err)
	defer plain.Close()
	account, err := observer{collector.Options{Cost: true}}.Attach(t.Context(), p.pid)
	require.NoError(t, err)
	defer account.Close()
	poll(t, "event", func() bool { return account.Cost().Events > 100 })

	window := contention.Window{Begin: begin, End: collector.Now()}
	trace, err := plain.Finish(t.Context(), window)
	require.NoError(t, err)
	assert.Equal(t, window, trace.Window)
	assert.NotEmpty(t, trace.Waits)

	assert.Equal(t, results.Overhead{}, plain.Cost(), "not asked for")
	cost := account.Cost()
	assert.Positive(t, cost.Events)
	assert.Positive(t, cost.NsPerEvent["sched_waking"])
	require.NoError(t, plain.Close())
	require.NoError(t, plain.Close(), "twice")
}

func TestAnalyzers(t *testing.T) {
	names := make(map[string]bool)
	for _, a := range analyzers() {
		assert.False(t, names[a.Name], "%s twice", a.Name)
		names[a.Name] = true
		assert.Empty(t, a.Analyze(&contention.Trace{Window: contention.Window{End: time.Second}, Stacks: []contention.Stack{nil}}).Findings,
			"%s finds nothing in nothing", a.Name)
	}
	assert.Equal(t, "rca", analyzers()[0].Name, "the first decides")
	assert.Contains(t, names, "last-waker")
}
