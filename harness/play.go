// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// The deadlines of a run where none is asked for.
const (
	defaultReady   = 10 * time.Second
	defaultMargin  = 10 * time.Second
	defaultObserve = 30 * time.Second
)

// Stage says where workloads are and how long they may take.
type Stage struct {
	// WorkloadDir holds the programs.
	WorkloadDir string
	// Ready is how long a program may take to be ready; 0 is 10 s.
	Ready time.Duration
	// Margin is how much longer than its duration a program may take; 0 is 10 s.
	Margin time.Duration
	// Observe is how long an observer may take to attach, and again to hand over its
	// trace; 0 is 30 s.
	Observe time.Duration
}

func (s Stage) withDefaults() Stage {
	s.Ready = cmp.Or(s.Ready, defaultReady)
	s.Margin = cmp.Or(s.Margin, defaultMargin)
	s.Observe = cmp.Or(s.Observe, defaultObserve)
	return s
}

// played is what one run of a workload left.
type played struct {
	pid    int
	ledger *ledger.Ledger
	// account is the truth, made of the ledger alone.
	account *account
	// cpu is the CPU time of the workload's processes.
	cpu time.Duration
	// trace, answer and cost are zero where nobody observed.
	trace  *contention.Trace
	answer *contention.Analysis // of an Answerer
	cost   results.Overhead
	timing results.Timing
}

// play runs a workload once under an observer, or unobserved if that is nil, beside the
// noise that its dose has. When it returns nothing of the workload, the noise or the
// observation is left, whatever happened.
// The observer is told the pid and, at the end, the window.
func (s Stage) play(ctx context.Context, sc scenarios.Scenario, run results.Run, observer Observer) (*played, error) {
	s = s.withDefaults()
	begin := time.Now()
	noise, err := s.startNoise(ctx, run)
	if err != nil {
		return nil, err
	}
	defer noise.stop()
	w, err := startWorkload(filepath.Join(s.WorkloadDir, sc.Workload), arguments(sc, run))
	if err != nil {
		return nil, err
	}
	defer w.stop()
	if err := w.hear(ctx, "ready", s.Ready); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	obs, err := s.attach(ctx, cancel, observer, w.PID())
	if err != nil {
		return nil, err
	}
	defer obs.Close()

	let := time.Now()
	p := &played{pid: w.PID(), timing: results.Timing{Setup: let.Sub(begin)}}
	if err := s.perform(ctx, w, sc.Duration, obs, p); err != nil {
		return nil, err
	}
	if err := noise.check(); err != nil {
		return nil, err
	}
	p.cpu = w.CPU()
	p.timing.Capture = time.Since(let)
	p.account = accountOf(p.ledger)
	return p, nil
}

// lookEarly is how long before the end of a workload its observation is finished. At the
// end a workload lets go all its threads, also those that would never have come loose.
const lookEarly = 150 * time.Millisecond

// perform lets the threads of the workload loose and waits until they have done. The
// window ends a little earlier, with the observation.
func (s Stage) perform(ctx context.Context, w *workload, duration time.Duration, obs Observation, p *played) error {
	begin := monotonic()
	if err := w.say("go"); err != nil {
		return err
	}
	err := w.hear(ctx, "done", max(duration-lookEarly, 0))
	done := err == nil
	if !done && !errors.Is(err, ErrTimeout) {
		return err
	}
	window := contention.Window{Begin: begin, End: monotonic()}
	if err := s.finish(ctx, obs, window, p); err != nil {
		return err
	}
	if !done {
		if err := w.hear(ctx, "done", lookEarly+s.Margin); err != nil {
			return err
		}
	}
	if err := w.wait(ctx, s.Margin); err != nil {
		return err
	}
	if p.ledger, err = w.readLedger(); err != nil {
		return err
	}
	if p.trace != nil || p.answer != nil {
		p.ledger.Stop = min(p.ledger.Stop, window.End)
	}
	if p.trace != nil {
		p.trace.Window = p.ledger.Window()
		censor(p.trace)
	}
	return nil
}

func (s Stage) finish(ctx context.Context, obs Observation, window contention.Window, p *played) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.Observe, ErrTimeout)
	defer cancel()
	trace, err := obs.Finish(ctx, window)
	if err != nil {
		return fmt.Errorf("finish observing: %w", because(ctx, err))
	}
	p.trace, p.cost = trace, obs.Cost()
	if a, itself := obs.(Answerer); itself {
		answer := a.Answer()
		p.answer = &answer
	}
	return nil
}

// monotonic is the instant, on the clock of ledgers and traces.
func monotonic() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0 // cannot be: the clock is always there
	}
	return time.Duration(t.Nano())
}

// attach lets the observer attach. Its context lasts as long as the run, and is
// cancelled if the observer takes too long.
func (s Stage) attach(ctx context.Context, cancel context.CancelCauseFunc, observer Observer, pid int) (Observation, error) {
	if observer == nil {
		return unobserved{}, nil
	}
	timer := time.AfterFunc(s.Observe, func() { cancel(ErrTimeout) })
	defer timer.Stop()
	obs, err := observer.Attach(ctx, pid)
	if err == nil && ctx.Err() != nil { // it came to an end all the same, too late
		err = errors.Join(ctx.Err(), obs.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("attach observer: %w", because(ctx, err))
	}
	return obs, nil
}

// because adds to an error of an ended context why it ended.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// unobserved is the observation of nobody.
type unobserved struct{}

func (unobserved) Finish(context.Context, contention.Window) (*contention.Trace, error) {
	return nil, nil
}
func (unobserved) Cost() results.Overhead { return results.Overhead{} }
func (unobserved) Close() error           { return nil }

// arguments are those of the protocol that package scenarios describes; the ledger's
// is added with the file.
func arguments(sc scenarios.Scenario, run results.Run) []string {
	return []string{
		"--variant=" + string(run.Variant),
		"--seed=" + strconv.FormatUint(run.Seed, 10),
		"--hold-ns=" + strconv.FormatInt(int64(run.Dose.Hold), 10),
		"--contenders=" + strconv.Itoa(run.Dose.Contenders),
		"--duration-ns=" + strconv.FormatInt(int64(sc.Duration), 10),
	}
}
