// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// The bounds that a run must keep to for its answer to count.
const (
	// MinTwinFactor is how many times more the culprits must cost in the fault than
	// the same threads in its twin.
	MinTwinFactor = 5
	// MaxTwinDifference is how much the twin's work may differ from the fault's, as
	// a share of the fault's.
	MaxTwinDifference = 0.20
	// MaxLostShare is how many events may be lost, as a share of those seen.
	MaxLostShare = 0.001
	// MaxDelayOfBlame is how much run delay the culprits of a fault and those who
	// waited for them may have, as a share of the culprits' true blame. A ledger
	// cannot tell a thread that works or waits from one that lacks a CPU, and who had
	// the CPU is not in it: above this bound the truth itself is in doubt. A fault
	// that is about the CPU has no such bound.
	MaxDelayOfBlame = 0.25
	// MaxForeignDelay is how much run delay any run may have, as a share of all its
	// threads' time, when others had the CPUs: a workload that itself used
	// OwnCPUs of the machine delays its own threads, and that is its business.
	MaxForeignDelay = 0.25
	OwnCPUs         = 0.75
	// MaxForeignOccupation is for how much of the window a program that has nothing to do
	// with the workload may keep one of its threads from a CPU, by what the observer saw:
	// from here on it would be right to blame that program.
	MaxForeignOccupation = 0.04
)

// ruling is the outcome of a check: a verdict that keeps a run out of accuracy, or
// none, and why.
type ruling struct {
	verdict results.Verdict
	reason  string
	// busy says that it was the machine's fault, so that the run may be played again.
	busy bool
}

func rule(v results.Verdict, format string, args ...any) ruling {
	return ruling{verdict: v, reason: fmt.Sprintf(format, args...)}
}

func tooBusy(format string, args ...any) ruling {
	return ruling{results.Untrusted, "machine too busy: " + fmt.Sprintf(format, args...), true}
}

func (r ruling) valid() bool { return r.verdict == "" }

// trusted checks that what was written down and seen is whole, and that the machine
// was not too busy.
func (p *played) trusted(sc scenarios.Scenario, run results.Run, cpus int) ruling {
	return first(
		ledgerTrusted(p.ledger),
		traceTrusted(p.trace),
		delayTrusted(p.account, sc, run),
		foreignOccupation(p.trace),
		p.foreignDelay(cpus),
	)
}

// first is the first of several rulings that keeps a run out.
func first(list ...ruling) ruling {
	for _, r := range list {
		if !r.valid() {
			return r
		}
	}
	return ruling{}
}

func ledgerTrusted(l *ledger.Ledger) ruling {
	dropped := l.Sum().Dropped
	switch {
	case !l.Complete():
		return rule(results.Untrusted, "the workload was cut short")
	case dropped > 0:
		return rule(results.Untrusted, "%d entries did not fit the ledger", dropped)
	default:
		return ruling{}
	}
}

// delayTrusted rules on the run delay in a fault that bit.
func delayTrusted(a *account, sc scenarios.Scenario, run results.Run) ruling {
	didBite := run.Variant == contention.FaultVariant && biteOf(a).cost >= floorAt(sc, run.Dose)
	if !didBite || sc.Class == contention.CPUStarvation {
		return ruling{}
	}
	return delayOfBlame(a)
}

// foreignOccupation rules on what programs outside of the workload took of the CPUs. What
// the observer takes, in this process, is no excuse.
func foreignOccupation(t *contention.Trace) ruling {
	if t == nil {
		return ruling{}
	}
	pids, ours := make(map[contention.ThreadID]int), t.Observed()
	ours[os.Getpid()] = true
	for _, thread := range t.Threads {
		pids[thread.ID()] = thread.PID
	}
	kept := make(map[contention.ThreadID]time.Duration)
	note := func(thread, occupant contention.ThreadID, d time.Duration) {
		if !occupant.IsZero() && !ours[pids[occupant]] {
			kept[thread] += d
		}
	}
	for _, w := range t.Waits {
		note(w.Thread, w.Occupant, min(w.Occupied, w.Ran-w.Woken)) // it may have had it before
	}
	for _, p := range t.Preemptions {
		note(p.Thread, p.Occupant, min(p.Occupied, p.Ran-p.Begin))
	}
	var most time.Duration
	for _, d := range kept {
		most = max(most, d)
	}
	if float64(most) <= MaxForeignOccupation*float64(t.Window.Length()) {
		return ruling{}
	}
	return tooBusy("other programs kept a thread from a CPU for %v", round(most))
}

func traceTrusted(t *contention.Trace) ruling {
	if t == nil {
		return ruling{}
	}
	lost, seen := t.Loss.Events(), len(t.Waits)+len(t.Preemptions)
	switch {
	case t.Loss.Detached > 0:
		return rule(results.Untrusted, "the observer was detached")
	case float64(lost) > MaxLostShare*float64(seen):
		return rule(results.Untrusted, "%d events lost, %d seen", lost, seen)
	default:
		return ruling{}
	}
}

func delayOfBlame(a *account) ruling {
	var blame, delay time.Duration
	for i, t := range a.threads {
		if t.Culprit {
			blame += a.root[i]
		}
		if t.Culprit || a.isVictim(i) {
			delay += t.RunDelay
		}
	}
	if float64(delay) <= MaxDelayOfBlame*float64(blame) {
		return ruling{}
	}
	return tooBusy("culprits cost %v, and they and their victims lacked a CPU for %v", round(blame), round(delay))
}

// isVictim reports whether a thread waited for a culprit.
func (a *account) isVictim(waiter int) bool {
	for i, t := range a.threads {
		if t.Culprit && a.rootEdges[waiter][i] > 0 {
			return true
		}
	}
	return false
}

func (p *played) foreignDelay(cpus int) ruling {
	window := float64(p.account.window.Length())
	delay := p.account.sums.RunDelay
	share := float64(delay) / (window * float64(len(p.ledger.Threads)))
	used := float64(p.cpu) / (window * float64(cpus))
	if share <= MaxForeignDelay || used >= OwnCPUs {
		return ruling{}
	}
	return tooBusy("threads lacked a CPU for %v, %.0f %% of their time, and had %.0f %% of the CPUs",
		round(delay), 100*share, 100*used)
}

// bite is what the threads with the fault in them cost the others, for each second
// of the window, and how much work all threads did in that time.
type bite struct {
	cost         time.Duration
	least        time.Duration // of the one that cost the least
	threads      int
	acquisitions float64
	switches     float64
}

// biteOf measures the culprits of a fault or, in a twin, those that would be.
func biteOf(a *account) bite {
	seconds := a.window.Length().Seconds()
	if seconds <= 0 {
		return bite{}
	}
	per := func(d time.Duration) time.Duration { return time.Duration(float64(d) / seconds) }
	b := bite{
		least:        math.MaxInt64,
		acquisitions: float64(a.sums.Acquisitions) / seconds,
		switches:     float64(a.sums.Switches) / seconds,
	}
	for i, t := range a.threads {
		if t.Culprit || t.WouldBeCulprit {
			b.threads++
			b.cost += per(a.root[i])
			b.least = min(b.least, per(a.root[i]))
		}
	}
	return b
}

// floorAt is the least that a fault must cost at a dose, for each second of the window.
// Below the dose that a scenario declares first, for which its floor is, it shrinks with
// the hold time and the number of contenders: a weak fault is to bite weakly, and whether
// that is found is what a sweep over doses asks. It still has to stand out from its twin.
func floorAt(sc scenarios.Scenario, dose contention.Dose) time.Duration {
	floor, declared := float64(sc.Floor), firstDose(sc)
	if dose.Hold < declared.Hold {
		floor *= float64(dose.Hold) / float64(declared.Hold)
	}
	if dose.Contenders < declared.Contenders {
		floor *= float64(dose.Contenders) / float64(declared.Contenders)
	}
	return time.Duration(floor)
}

// bit checks that a fault bit: by the floor, and beside its twin if that has been played.
func bit(floor time.Duration, fault bite, twin *bite) ruling {
	switch {
	case fault.cost < floor:
		return rule(results.Invalid, "the fault did not bite: it cost %v a second, floor %v", round(fault.cost), round(floor))
	case fault.threads == 0 || fault.least <= 0:
		return rule(results.Invalid, "the fault did not bite: one of the culprits cost nothing")
	case twin != nil && fault.cost < MinTwinFactor*twin.cost:
		return rule(results.Invalid, "the fault did not bite: it cost %v a second, its twin %v", round(fault.cost), round(twin.cost))
	default:
		return ruling{}
	}
}

// likeTwin checks that a twin did about the work of the fault. Context switches are
// not held to that: they count those that other load forced.
func likeTwin(fault, twin bite) ruling {
	if d := difference(fault.acquisitions, twin.acquisitions); math.Abs(d) > MaxTwinDifference {
		return rule(results.Invalid, "not a twin: its acquisitions differ by %+.0f %%", 100*d)
	}
	return ruling{}
}

// difference is how much b differs from a, as a share of a.
func difference(a, b float64) float64 {
	switch {
	case a == b:
		return 0
	case a == 0:
		return math.Inf(1)
	default:
		return (b - a) / a
	}
}

// marked checks that a workload put the fault into as many threads as its scenario
// says, which otherwise is a mistake in one of them.
func marked(sc scenarios.Scenario, v contention.Variant, l *ledger.Ledger) error {
	want, culprits := 0, 0
	if v == contention.FaultVariant {
		want = sc.Culprits
	}
	for _, t := range l.Threads {
		if t.Culprit {
			culprits++
		}
	}
	if culprits != want {
		return fmt.Errorf("ledger marks %d culprits in a %s, scenario declares %d", culprits, v, want)
	}
	return nil
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
