// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestCondense(t *testing.T) {
	thread := contention.ThreadID{TID: 1}
	trace := &contention.Trace{
		Window: contention.Window{Begin: 100, End: 200},
		Shed:   contention.Shed{Spans: []contention.Window{{Begin: 110, End: 130}, {Begin: 150, End: 190}}, Waits: 3, WaitTime: 30},
		Waits: []contention.Wait{
			{Thread: thread, Begin: 90, Woken: 95, Ran: 96},
			{Thread: thread, Begin: 105, Woken: 125, Ran: 145, Occupied: 12},
			{Thread: thread, Begin: 155, Woken: 170, Ran: 180}, // it lasts, and so it is told
			{Thread: thread, Begin: 160},
		},
		Preemptions: []contention.Preemption{{Thread: thread, Begin: 110, Ran: 130}, {Thread: thread, Begin: 140, Ran: 160, Occupied: 20}},
		Samples:     []contention.Sample{{Thread: thread, At: 112}, {Thread: thread, At: 131}, {Thread: thread, At: 190}},
		Exits:       []contention.Exit{{Thread: thread, At: 195}},
	}
	got, factor := condense(trace)
	assert.Equal(t, 2.5, factor)
	assert.Equal(t, &contention.Trace{
		Window: contention.Window{Begin: 100, End: 140},
		Waits: []contention.Wait{
			{Thread: thread, Begin: 90, Woken: 95, Ran: 96},
			{Thread: thread, Begin: 105, Woken: 110, Ran: 125, Occupied: 9},
			{Thread: thread, Begin: 130},
		},
		Preemptions: []contention.Preemption{{Thread: thread, Begin: 120, Ran: 130, Occupied: 10}},
		Samples:     []contention.Sample{{Thread: thread, At: 111}, {Thread: thread, At: 130}},
		Exits:       []contention.Exit{{Thread: thread, At: 135}},
	}, got)
	assert.Len(t, trace.Waits, 4, "the trace is as it was")
}

func TestCondenseLeavesWhatIsWhole(t *testing.T) {
	for name, spans := range map[string][]contention.Window{
		"nothing left out":    nil,
		"everything left out": {{Begin: 100, End: 200}},
	} {
		trace := &contention.Trace{Window: contention.Window{Begin: 100, End: 200}, Shed: contention.Shed{Spans: spans}}
		got, factor := condense(trace)
		assert.Same(t, trace, got, name)
		assert.Equal(t, 1.0, factor, name)
	}
}

// shed leaves out of a trace what a collector does that tells all waits for a part of each
// period only.
func shed(t *contention.Trace, period, told, lasting time.Duration) *contention.Trace {
	out := *t
	for at := t.Window.Begin - t.Window.Begin%period; at < t.Window.End; at += period {
		span := contention.Window{Begin: max(at+told, t.Window.Begin), End: min(at+period, t.Window.End)}
		if span.Begin < span.End {
			out.Shed.Spans = append(out.Shed.Spans, span)
		}
	}
	sheds := func(at time.Duration) bool { return at%period >= told }
	out.Waits = slices.DeleteFunc(slices.Clone(t.Waits), func(w contention.Wait) bool {
		return sheds(w.Begin) && sheds(w.Woken) && w.Woken-w.Begin < lasting
	})
	return &out
}

// storm is three threads that hand one mutex around, each of which holds it for another
// time.
func storm(random *rand.Rand, rounds int) *scene {
	s := newScene(0, 1, 2, 3)
	hold := [...]int{1: 30, 2: 9, 3: 3} // on average, in microseconds
	var now time.Duration
	var released [4]time.Duration
	for i := range 3 * rounds {
		thread, next := 1+i%3, 1+(i+1)%3
		now += time.Duration(random.IntN(2*hold[thread])+1) * time.Microsecond
		s.wait(next, mutex(1), released[next], now, by(thread))
		released[thread] = now
	}
	s.Window.End = s.Window.Begin + now
	return s
}

// In a storm the shares of who is to blame are what they are when all is told.
func TestSharesHoldWhereWaitsAreLeftOut(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for i := range 20 {
		s := storm(random, 20_000)
		all := s.analyze()
		trace := shed(&s.Trace, 10*time.Millisecond, time.Millisecond, 200*time.Microsecond)
		require.Less(t, len(trace.Waits), len(s.Waits)/8, "storm %d", i)
		some := Analyze(trace, Options{})
		assert.InEpsilon(t, all.Totals.WaitTime, some.Totals.WaitTime, 0.02, "storm %d", i)
		assert.Less(t, variation(all, some), 0.03, "storm %d", i)
		require.NotEmpty(t, all.Findings)
		require.Len(t, some.Findings, len(all.Findings), "storm %d", i)
		assert.Equal(t, all.Findings[0].Culprit, some.Findings[0].Culprit, "storm %d", i)
		assert.Equal(t, some.Totals.WaitTime, some.Totals.Blame+some.Totals.External+some.Totals.Open)
	}
}

// variation is the total variation between how two analyses divide blame, in 0..1.
func variation(a, b contention.Analysis) float64 {
	shares := make(map[contention.ThreadID]float64)
	for _, c := range a.Charges {
		shares[c.Thread.ID()] += float64(c.Blame) / float64(a.Totals.Blame)
	}
	for _, c := range b.Charges {
		shares[c.Thread.ID()] -= float64(c.Blame) / float64(b.Totals.Blame)
	}
	sum := 0.0
	for _, difference := range shares {
		sum += math.Abs(difference)
	}
	return sum / 2
}
