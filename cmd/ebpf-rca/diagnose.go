// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/capture"
	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/rca"
)

// diagnoseOptions are the flags of diagnose.
type diagnoseOptions struct {
	pid        int
	noChildren bool
	noKernel   bool
	duration   time.Duration
	interval   time.Duration
	json       bool
	folded     string
	pprof      string
	capture    string
	minShare   float64
	budget     float64
}

func newDiagnose() *cobra.Command {
	var o diagnoseOptions
	cmd := &cobra.Command{
		Use:   "diagnose (-p PID | -- CMD ARG…)",
		Short: "Find out which thread of a program makes the others wait",
		Long: `diagnose watches a process and its descendants for ten seconds and names the
threads that made others wait, most costly first, each with what it was doing, who
waited, for what and for how long. It needs root, or CAP_BPF and CAP_PERFMON.

Where more than --budget waits end a second, those of less than a millisecond are looked
at for a part of the time only, and what is found there stands for the whole: so a storm of
waits costs little more. What is left out is counted and told.

With -- CMD it starts CMD, watches it from its first instruction until it ends or the
time is up, and then ends it. CMD's output goes to standard error.`,
		Example: `  sudo ebpf-rca diagnose -p 1234
  sudo ebpf-rca diagnose -p $(pidof mysqld) --duration 30s
  sudo ebpf-rca diagnose -p 1234 --duration 10m --interval 10s --json | jq .findings[0].culprit
  sudo ebpf-rca diagnose --folded blame.txt -- ./server --threads 8
  sudo ebpf-rca diagnose -p 1234 --capture slow.cap.zst
  sudo ebpf-rca diagnose -p 1234 --budget 0`,
		Args: func(_ *cobra.Command, args []string) error { return o.check(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			return diagnose(cmd.Context(), o, args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.IntVarP(&o.pid, "pid", "p", 0, "the process to watch")
	f.BoolVar(&o.noChildren, "no-children", false, "leave out the descendants of the process")
	f.BoolVar(&o.noKernel, "no-kernel-locks", false, "do not watch the kernel's own locks, as on a kernel that does not tell of them")
	f.DurationVarP(&o.duration, "duration", "d", 10*time.Second, "how long to watch; Ctrl-C ends it early and still reports")
	f.DurationVar(&o.interval, "interval", 0, "report every so often, each time what happened since")
	f.BoolVar(&o.json, "json", false, "print one JSON object a window, each on a line")
	f.StringVar(&o.folded, "folded", "", "write the culprits' stacks to `FILE`, for a flame graph of blame; the last window's")
	f.StringVar(&o.pprof, "pprof", "", "write the culprits' stacks to `FILE`, for go tool pprof; the last window's")
	f.StringVar(&o.capture, "capture", "", "write what was seen to `FILE`, for replay; the last window's")
	f.Float64Var(&o.minShare, "min-share", rca.DefaultMinShare, "the share of its time a victim must have lost, in 0..1")
	f.Float64Var(&o.budget, "budget", collector.DefaultBudget, "how many waits to look at a second; 0 is all")
	f.SetInterspersed(false) // what follows CMD is CMD's
	return cmd
}

// shortestInterval keeps a window longer than what it takes to report one.
const shortestInterval = 100 * time.Millisecond

func (o diagnoseOptions) check(args []string) error {
	switch {
	case o.pid < 0:
		return fmt.Errorf("-p %d: a pid is a positive number", o.pid)
	case o.pid == 0 && len(args) == 0:
		return errors.New("say what to watch: -p PID, or -- CMD")
	case o.pid != 0 && len(args) > 0:
		return fmt.Errorf("-p %d and the command %q exclude each other", o.pid, args[0])
	case len(args) > 0 && isNumber(args[0]):
		return fmt.Errorf("%q is not a command; did you mean -p %s?", args[0], args[0])
	case o.duration <= 0:
		return fmt.Errorf("--duration %v: it must be longer than nothing", o.duration)
	case o.interval != 0 && o.interval < shortestInterval:
		return fmt.Errorf("--interval %v: the shortest is %v", o.interval, shortestInterval)
	}
	return errors.Join(checkMinShare(o.minShare), checkBudget(o.budget),
		checkOutput("--folded", o.folded), checkOutput("--pprof", o.pprof), checkOutput("--capture", o.capture))
}

func checkMinShare(share float64) error {
	if share > 0 && share <= 1 { // which NaN is not
		return nil
	}
	return fmt.Errorf("--min-share %v: it lies between 0 and 1", share)
}

func checkBudget(waits float64) error {
	if waits == 0 || waits >= 1 && !math.IsInf(waits, 1) {
		return nil
	}
	return fmt.Errorf("--budget %v: it is a number of waits a second, or 0 for all", waits)
}

// collectorBudget is the budget in the collector's terms.
func (o diagnoseOptions) collectorBudget() float64 {
	if o.budget == 0 {
		return -1
	}
	return o.budget
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// garbagePercent is how much garbage may pile up, in percent of what is in use (see
// runtime/debug): the command is to be small beside what it watches.
const garbagePercent = 30

// diagnose watches and reports. What it has begun it undoes on every way out.
func diagnose(ctx context.Context, o diagnoseOptions, args []string, stdout, stderr io.Writer) error {
	w := watching{opts: o, stdout: stdout, progress: newProgress(stderr)}
	if len(args) > 0 {
		program, err := startHeldBack(args, stderr)
		if err != nil {
			return err
		}
		defer program.stop()
		w.program, w.target.PID = program, program.pid
	} else {
		if err := checkTarget(o.pid); err != nil {
			return usage(err)
		}
		w.target.PID = o.pid
	}
	w.target.Comm = commOf(w.target.PID)
	defer debug.SetGCPercent(debug.SetGCPercent(garbagePercent))
	observation, err := collector.Observe(w.target.PID, collector.Options{
		NoChildren: o.noChildren, NoKernelLocks: o.noKernel, Budget: o.collectorBudget(),
	})
	if err != nil {
		return explainObserve(err)
	}
	defer observation.Close()
	w.observation = observation
	return w.watch(ctx)
}

// explainObserve turns the collector's errors into exit codes.
func explainObserve(err error) error {
	switch {
	case errors.Is(err, collector.ErrNoProcess):
		return usage(err)
	case errors.Is(err, os.ErrPermission), errors.Is(err, errNotSupported):
		return &exit{code: exitNothing, cause: fmt.Errorf("%w; 'ebpf-rca doctor' says what this machine allows", err)}
	default:
		return err
	}
}

// watching is a process being diagnosed.
type watching struct {
	opts        diagnoseOptions
	target      target
	program     *program // nil: it was there before
	observation *collector.Observation
	stdout      io.Writer
	progress    progress
	reports     int
}

// watch reports window by window until the time is up, the program ends or the
// context does.
func (w *watching) watch(ctx context.Context) error {
	begin := collector.Now()
	if w.program != nil {
		if err := w.program.release(); err != nil {
			return err
		}
	}
	end := begin + w.opts.duration
	for {
		until := end
		if w.opts.interval > 0 {
			until = min(end, begin+w.opts.interval)
		}
		over := w.wait(ctx, until, end)
		now := collector.Now()
		if err := w.report(contention.Window{Begin: begin, End: now}); err != nil {
			return err
		}
		if over || now >= end {
			return nil
		}
		begin = now
		debug.FreeOSMemory() // a busy window takes much for a moment
	}
}

// wait returns at the instant until, and reports whether the watching is over
// before its time.
func (w *watching) wait(ctx context.Context, until, end time.Duration) bool {
	defer w.progress.clear()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	timer := time.NewTimer(until - collector.Now())
	defer timer.Stop()
	for {
		w.progress.show("watching %d (%s): %v of %v, Ctrl-C ends it early", w.target.PID, printable(w.comm()),
			(w.opts.duration - (end - collector.Now())).Round(time.Second), w.opts.duration)
		select {
		case <-ctx.Done():
			return true
		case <-w.gone():
			return true
		case <-timer.C:
			return false
		case <-tick.C:
			if w.program == nil && !runs(w.target.PID) {
				return true
			}
		}
	}
}

// gone is closed when the program that was started has ended.
func (w *watching) gone() <-chan struct{} {
	if w.program == nil {
		return nil
	}
	return w.program.ended
}

// comm is the target's name, as long as it lives.
func (w *watching) comm() string {
	if name := commOf(w.target.PID); name != "" {
		w.target.Comm = name
	}
	return w.target.Comm
}

func (w *watching) report(window contention.Window) error {
	alive := runs(w.target.PID)
	trace, err := w.observation.Cut(window)
	if err != nil {
		return err
	}
	seen := capture.Capture{
		Target: capture.Target(w.target), Kernel: kernelRelease(), MinShare: w.opts.minShare,
		Notes: w.notes(alive, trace), Trace: *trace,
	}
	d := diagnosisOf(&seen, rca.Analyze(&seen.Trace, rca.Options{MinShare: seen.MinShare, Consume: w.opts.capture == ""}))
	return errors.Join(w.tell(d), w.export(d, seen))
}

func (w *watching) tell(d diagnosis) error {
	if w.opts.json {
		return d.write(w.stdout)
	}
	if w.reports++; w.reports > 1 {
		fmt.Fprintln(w.stdout)
	}
	return writeScreen(w.stdout, d)
}

// notes say what the findings cannot show.
func (w *watching) notes(alive bool, trace *contention.Trace) []string {
	var notes []string
	if !alive && w.program == nil {
		notes = append(notes, fmt.Sprintf("process %d ended while it was watched: functions that were not looked up in time have no name", w.target.PID))
	}
	if alive && isGo(w.target.PID) {
		notes = append(notes, "this is a Go program: a goroutine that waits for a lock or a channel blocks no thread, so such waits are not seen")
	}
	for _, gap := range w.observation.Gaps() {
		notes = append(notes, fmt.Sprintf("%s are not seen: %s", gap, gap.Without()))
	}
	if n := trace.Shed.Waits; n > 0 {
		notes = append(notes, fmt.Sprintf("%d waits of less than a millisecond, %v in all, were left out because there are so many: times are those of %.0f %% of the window, made to stand for all of it",
			n, trace.Shed.WaitTime.Round(time.Millisecond), 100*float64(trace.Told())/float64(trace.Window.Length())))
	}
	if lost := trace.Loss.Events(); lost > 0 {
		notes = append(notes, fmt.Sprintf("%d events were lost: shares and ranks may be off", lost))
	}
	return notes
}

func (w *watching) export(d diagnosis, seen capture.Capture) error {
	return errors.Join(
		writeOutput("--folded", w.opts.folded, func(f io.Writer) error { return writeFolded(f, d) }),
		writeOutput("--pprof", w.opts.pprof, func(f io.Writer) error { return writePprof(f, d) }),
		writeOutput("--capture", w.opts.capture, func(f io.Writer) error { return capture.Write(f, seen) }),
	)
}
