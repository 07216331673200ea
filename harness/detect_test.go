// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

func TestDetectedAfter(t *testing.T) {
	trace := whole()
	truth := results.Truth{Culprits: []results.Culprit{{TID: 7}}}
	// Names the culprit once it has seen so many waits.
	after := func(waits int) func(*contention.Trace) contention.Analysis {
		return func(t *contention.Trace) contention.Analysis {
			culprit := contention.Thread{TID: 1}
			if len(t.Waits) >= waits {
				culprit.TID = 7
			}
			return contention.Analysis{Findings: []contention.Finding{
				{Class: contention.External}, {Class: contention.LockHolder, Culprit: &culprit},
			}}
		}
	}
	for waits, want := range map[int]time.Duration{
		0: firstLook, 50: firstLook, 60: 2 * firstLook, 102: 4 * firstLook, 1000: trace.Window.Length(),
	} {
		assert.Equal(t, want, detectedAfter(trace, after(waits), truth), "%d waits", waits)
	}
	assert.Equal(t, whole(), trace, "the trace is left as it is")
}

func TestBeginningKnowsNothingOfTheRest(t *testing.T) {
	trace := whole()
	trace.Exits = []contention.Exit{{At: 10 * time.Millisecond}, {At: 500 * time.Millisecond}}
	trace.Waits[20].Woken, trace.Waits[20].Ran = 300*time.Millisecond, 301*time.Millisecond
	got := beginning(trace, 100*time.Millisecond)
	assert.Equal(t, 100*time.Millisecond, got.Window.Length())
	assert.Len(t, got.Exits, 1)
	assert.Len(t, got.Samples, 1)
	assert.Len(t, got.Waits, 101)
	assert.Len(t, got.Preemptions, 101)
	assert.True(t, got.Waits[20].Open(), "it has not ended yet")
	for _, w := range got.Waits {
		assert.Zero(t, w.Late)
	}
}
