// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// playedFor is a second in which one thread waited for a culprit, each lacked a CPU
// for its part of the delays, and the workload had CPU time. A third is a bystander.
func playedFor(waited, cpu time.Duration, delays ...time.Duration) *played {
	l := &ledger.Ledger{
		Go: time.Second, Stop: 2 * time.Second,
		Resources: []ledger.Resource{lock(1)},
		Threads: []ledger.Thread{
			culprit(thread(1, hold(0, time.Second, 2*time.Second))),
			thread(2, wait(0, time.Second, time.Second+waited)),
			thread(3),
		}[:max(2, len(delays))],
	}
	for i, d := range delays {
		l.Threads[i].RunDelay = d
	}
	return &played{ledger: l, account: accountOf(l), cpu: cpu}
}

func TestTrustOfABusyMachine(t *testing.T) {
	const ms = time.Millisecond
	starvation := scenarios.Scenario{Class: contention.CPUStarvation}
	floored := scenarios.Scenario{Floor: time.Second}
	for name, test := range map[string]struct {
		scenario scenarios.Scenario
		variant  contention.Variant
		played   *played
		want     results.Verdict
	}{
		"calm fault":                     {variant: contention.FaultVariant, played: playedFor(800*ms, 0, 150*ms, 50*ms), want: ""},
		"culprit that lacked a CPU":      {variant: contention.FaultVariant, played: playedFor(800*ms, 0, 201*ms), want: results.Untrusted},
		"victim that lacked a CPU":       {variant: contention.FaultVariant, played: playedFor(800*ms, 0, 100*ms, 101*ms), want: results.Untrusted},
		"bystander that lacked a CPU":    {variant: contention.FaultVariant, played: playedFor(800*ms, 0, 100*ms, 100*ms, 500*ms), want: ""},
		"fault that did not bite":        {scenario: floored, variant: contention.FaultVariant, played: playedFor(800*ms, 0, 201*ms), want: ""},
		"fault about the CPU":            {scenario: starvation, variant: contention.FaultVariant, played: playedFor(800*ms, 0, 201*ms), want: ""},
		"quiet control":                  {variant: contention.ControlVariant, played: playedFor(0, 0, 500*ms), want: ""},
		"control that others starve":     {variant: contention.ControlVariant, played: playedFor(0, 1400*ms, 501*ms), want: results.Untrusted},
		"control that computes too much": {variant: contention.ControlVariant, played: playedFor(0, 1500*ms, 501*ms), want: ""},
	} {
		got := test.played.trusted(test.scenario, results.Run{Variant: test.variant}, 2)
		assert.Equal(t, test.want, got.verdict, "%s: %s", name, got.reason)
	}
}

func TestTraceTrusted(t *testing.T) {
	seen := contention.Trace{Waits: make([]contention.Wait, 1500), Preemptions: make([]contention.Preemption, 500)}
	assert.True(t, traceTrusted(nil).valid())
	assert.True(t, traceTrusted(&seen).valid())
	seen.Loss = contention.Loss{RingFull: 1, MapFull: 1, StackIncomplete: 100, UnmatchedWake: 100}
	assert.True(t, traceTrusted(&seen).valid(), "one in a thousand is borne")
	seen.Loss.RingFull = 2
	assert.Equal(t, results.Untrusted, traceTrusted(&seen).verdict)
}

func TestBit(t *testing.T) {
	const ms = time.Millisecond
	const floor = 100 * ms
	for name, test := range map[string]struct {
		fault bite
		twin  *bite
		valid bool
	}{
		"at the floor, without a twin": {bite{cost: 100 * ms, least: 40 * ms, threads: 2}, nil, true},
		"below the floor":              {bite{cost: 99 * ms, least: 99 * ms, threads: 1}, nil, false},
		"one of two did nothing":       {bite{cost: 300 * ms, least: 0, threads: 2}, nil, false},
		"five times the twin":          {bite{cost: 500 * ms, least: 500 * ms, threads: 1}, &bite{cost: 100 * ms}, true},
		"not five times the twin":      {bite{cost: 499 * ms, least: 499 * ms, threads: 1}, &bite{cost: 100 * ms}, false},
	} {
		assert.Equal(t, test.valid, bit(floor, test.fault, test.twin).valid(), name)
	}
}

func TestFloorAt(t *testing.T) {
	const ms = time.Millisecond
	sc := scenarios.Scenario{Floor: 320 * ms, Doses: []contention.Dose{{Hold: 50 * ms, Contenders: 4}, {Hold: 10 * ms, Contenders: 8}}}
	for want, doses := range map[time.Duration][]contention.Dose{
		320 * ms: {{Hold: 50 * ms, Contenders: 4}, {Hold: 200 * ms, Contenders: 8}, {Hold: 50 * ms, Contenders: 4, Noise: 32}},
		20 * ms:  {{Hold: 50 * ms / 16, Contenders: 4}, {Hold: 50 * ms / 16, Contenders: 16}},
		160 * ms: {{Hold: 50 * ms, Contenders: 2}, {Hold: 25 * ms, Contenders: 4}},
		80 * ms:  {{Hold: 25 * ms, Contenders: 2}},
	} {
		for _, dose := range doses {
			assert.Equal(t, want, floorAt(sc, dose), "%+v", dose)
		}
	}
	assert.Equal(t, 320*ms, floorAt(scenarios.Scenario{Floor: 320 * ms}, contention.Dose{Hold: ms}), "no dose declared")
}

func TestBiteIsForEachSecond(t *testing.T) {
	l := &ledger.Ledger{
		Go: time.Second, Stop: 3 * time.Second,
		Resources: []ledger.Resource{lock(1), lock(2)},
		Threads: []ledger.Thread{
			culprit(thread(1, hold(0, time.Second, 2*time.Second))),
			culprit(thread(2, hold(1, time.Second, 2*time.Second))),
			thread(3, wait(0, time.Second, 2*time.Second)),
			thread(4, wait(1, time.Second, 1200*time.Millisecond)),
		},
	}
	l.Threads[0].Acquisitions, l.Threads[3].Switches = 10, 6
	assert.Equal(t, bite{
		cost: 600 * time.Millisecond, least: 100 * time.Millisecond, threads: 2, acquisitions: 5, switches: 3,
	}, biteOf(accountOf(l)))
}

func TestLikeTwin(t *testing.T) {
	fault := bite{acquisitions: 100, switches: 100}
	assert.True(t, likeTwin(fault, bite{acquisitions: 120, switches: 10}).valid())
	assert.Equal(t, rule(results.Invalid, "not a twin: its acquisitions differ by -21 %%"), likeTwin(fault, bite{acquisitions: 79, switches: 100}))
	assert.True(t, likeTwin(bite{}, bite{}).valid())
}

func TestForeignOccupation(t *testing.T) {
	ours, theirs := contention.Thread{PID: 1, TID: 1}, contention.Thread{PID: 2, TID: 2}
	trace := func(occupant contention.Thread, occupied time.Duration) *contention.Trace {
		return &contention.Trace{
			Window:  contention.Window{End: time.Second},
			Threads: []contention.Thread{ours, theirs},
			Waits: []contention.Wait{{
				Thread: ours.ID(), Begin: 1, Woken: 10, Ran: 10 + 30*time.Millisecond, Occupant: occupant.ID(), Occupied: occupied,
			}},
			Preemptions: []contention.Preemption{{
				Thread: ours.ID(), Begin: time.Millisecond, Ran: 21 * time.Millisecond, Occupant: occupant.ID(), Occupied: occupied,
			}},
		}
	}
	assert.True(t, foreignOccupation(nil).valid())
	assert.True(t, foreignOccupation(trace(ours, time.Second)).valid(), "one of its own")
	assert.True(t, foreignOccupation(trace(contention.Thread{}, time.Second)).valid(), "nobody")
	assert.True(t, foreignOccupation(trace(theirs, 20*time.Millisecond)).valid(), "40 ms of a second")
	r := foreignOccupation(trace(theirs, time.Second)) // it had the CPU before as well
	assert.True(t, r.busy)
	assert.Contains(t, r.reason, "50ms")
}
