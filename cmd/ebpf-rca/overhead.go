// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/harness/load"
	"github.com/os2026/ebpf-rca/harness/overhead"
	"github.com/os2026/ebpf-rca/results"
)

// overheadOptions are the flags of overhead.
type overheadOptions struct {
	workloads, observers []string
	pairs                int
	duration             time.Duration
	gate                 bool
	limit                float64 // in the place of those of the gate; 0 is none
	loads                string
	asJSON               bool
}

// The bounds of the flags: a measurement is over within a day.
const (
	maxPairs    = 1000
	minDuration = 10 * time.Millisecond
	maxDuration = time.Minute
)

func newOverhead() *cobra.Command {
	var o overheadOptions
	cmd := &cobra.Command{
		Use:   "overhead",
		Short: "Measure what observing costs, against doing nothing, the floor and other tools",
		Long: `overhead has the same work done again and again, unobserved and under each observer in
turn, there and back, and tells what CPU time, elapsed time and answers took in
proportion. Beside it stand what the eBPF programs take an event by the kernel's own
account, in runs of their own, and the observer's CPU time and memory.

Workloads: ` + strings.Join(workloadNames(), ", ") + `.
Observers: ` + strings.Join(ownObserverNames(), ", ") + `,
and tools of others, peer:NAME. none shows how unobserved runs differ from one another: a
cost within that is within noise. What is not installed is named as absent.

All observers of all workloads take an hour. Ctrl-C ends it and tells what was measured
so far. docs/overhead.md says how to read the figures.`,
		Example: `  sudo ebpf-rca overhead --observer empty,default --workload futex-pingpong
  sudo ebpf-rca overhead --workload sysbench-threads --observer default,peer:offcputime --pairs 30
  sudo ebpf-rca overhead --json > overhead.jsonl
  sudo ebpf-rca overhead --gate --workload futex-pingpong,pipe-pingpong --observer empty,default`,
		Args: func(cmd *cobra.Command, args []string) error {
			o.workloads = expand(o.workloads, workloadNames())
			o.observers = expand(o.observers, observerNames())
			return errors.Join(exactly(0, "argument")(cmd, args), o.check(), o.checkGate())
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.measure(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object a line for each workload and observer")
	f.StringSliceVar(&o.workloads, "workload", []string{everything}, "what is to be done")
	f.StringSliceVar(&o.observers, "observer", []string{everything}, "who watches")
	f.IntVar(&o.pairs, "pairs", 16, "how many pairs of an unobserved and an observed run to make of each, an even number")
	f.DurationVar(&o.duration, "duration", time.Second, "about how long an unobserved run takes")
	f.BoolVar(&o.gate, "gate", false, "exit 1 where default adds too many times what empty adds: "+limitsText(overhead.Limits()))
	f.Float64Var(&o.limit, "limit", 0, "the `TIMES` that --gate allows, in the place of its own")
	f.StringVar(&o.loads, "loads", "", "where the load programs are (default: load beside this program)")
	return cmd
}

// everything stands for all names that there are.
const everything = "all"

func expand(given, known []string) []string {
	if slices.Contains(given, everything) {
		return known
	}
	return given
}

func (o overheadOptions) check() error {
	switch {
	case o.pairs < 1 || o.pairs > maxPairs:
		return fmt.Errorf("--pairs %d: it lies between 1 and %d", o.pairs, maxPairs)
	case o.duration < minDuration || o.duration > maxDuration:
		return fmt.Errorf("--duration %v: it lies between %v and %v", o.duration, minDuration, maxDuration)
	}
	return errors.Join(
		checkNames("--workload", o.workloads, workloadNames()),
		checkNames("--observer", o.observers, observerNames()),
	)
}

func checkNames(flag string, given, known []string) error {
	if len(given) == 0 {
		return fmt.Errorf("%s names none: there are %s", flag, strings.Join(known, ", "))
	}
	for _, name := range given {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s %s: there are %s", flag, name, strings.Join(known, ", "))
		}
	}
	return nil
}

// checkGate refuses a gate that nothing could fall through.
func (o overheadOptions) checkGate() error {
	if !o.gate {
		if o.limit != 0 {
			return errors.New("--limit goes with --gate")
		}
		return nil
	}
	if !(o.limit >= 0) || math.IsInf(o.limit, 1) {
		return fmt.Errorf("--limit %v: it is a number of times", o.limit)
	}
	for _, name := range []string{overhead.Empty, overhead.Default} {
		if !slices.Contains(o.observers, name) {
			return fmt.Errorf("--gate compares %s with %s: --observer leaves out %s", overhead.Default, overhead.Empty, name)
		}
	}
	if len(o.limits()) == 0 {
		return fmt.Errorf("--gate holds none of the workloads to a limit, but %s", limitsText(overhead.Limits()))
	}
	return nil
}

// limits are those of the workloads that are measured.
func (o overheadOptions) limits() []overhead.Limit {
	var limits []overhead.Limit
	for _, l := range overhead.Limits() {
		if !slices.Contains(o.workloads, l.Workload) {
			continue
		}
		if o.limit > 0 {
			l.Times = o.limit
		}
		limits = append(limits, l)
	}
	return limits
}

func limitsText(limits []overhead.Limit) string {
	var parts []string
	for _, l := range limits {
		parts = append(parts, fmt.Sprintf("%s %g", l.Workload, l.Times))
	}
	return strings.Join(parts, ", ")
}

func workloadNames() []string {
	var names []string
	for _, l := range load.All("") {
		names = append(names, l.Name())
	}
	return names
}

// measure tells each workload as soon as it is measured, and then the gate.
func (o overheadOptions) measure(ctx context.Context, stdout, stderr io.Writer) error {
	if err := o.preflight(); err != nil {
		return err
	}
	all, failed := o.measureAll(ctx, stdout, stderr)
	if errors.Is(failed, context.Canceled) {
		fmt.Fprintln(stderr, "stopped; what was measured by then is told")
		return &exit{code: exitInfra}
	}
	gated := o.judge(all, stdout, stderr)
	if failed != nil {
		return failed
	}
	if !slices.ContainsFunc(all, func(l results.OverheadLine) bool { return l.Absent == "" }) {
		return &exit{code: exitNothing, cause: errors.New("none of the workloads can be had here")}
	}
	return gated
}

// judge tells the verdicts of the gate, beside the lines if those are for a program.
func (o overheadOptions) judge(lines []results.OverheadLine, stdout, stderr io.Writer) error {
	switch {
	case !o.gate:
		return nil
	case o.asJSON:
		return tellRulings(stderr, overhead.Judge(lines, o.limits()))
	default:
		return tellRulings(stdout, overhead.Judge(lines, o.limits()))
	}
}

// preflight finds out whether we can watch at all, if any of ours is to.
func (o overheadOptions) preflight() error {
	for _, name := range o.observers {
		if c, ours := findChoice(name); ours && c.checked != nil {
			if _, err := preflight(*c.checked); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o overheadOptions) measureAll(ctx context.Context, stdout, stderr io.Writer) ([]results.OverheadLine, error) {
	loads, err := o.selectedLoads()
	if err != nil {
		return nil, err
	}
	bar := newProgress(stderr)
	defer bar.clear()
	var all []results.OverheadLine
	var failed error
	for i, l := range loads {
		lines, err := overhead.Measure(ctx, overhead.Options{
			Load: l, Observers: o.selectedObservers(), Pairs: o.pairs, Duration: o.duration,
			Progress: func(done, total int) {
				bar.show("%s (%d of %d workloads): run %d of %d", l.Name(), i+1, len(loads), done, total)
			},
		})
		bar.clear()
		all = append(all, lines...)
		if unwritten := o.tell(stdout, lines); unwritten != nil {
			return all, unwritten
		}
		failed = errors.Join(failed, err)
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
	}
	return all, failed
}

func (o overheadOptions) selectedLoads() ([]load.Load, error) {
	dir := o.loads
	if dir == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find the loads: %w", err)
		}
		dir = filepath.Join(filepath.Dir(self), "load")
	}
	return slices.DeleteFunc(load.All(dir), func(l load.Load) bool { return !slices.Contains(o.workloads, l.Name()) }), nil
}

func (o overheadOptions) tell(w io.Writer, lines []results.OverheadLine) error {
	if !o.asJSON {
		return writeOverheadTable(w, lines)
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for _, line := range lines {
		if err := out.Encode(line); err != nil {
			return fmt.Errorf("write the overhead: %w", err)
		}
	}
	return nil
}

// tellRulings prints the verdicts of the gate, of which one that a limit was exceeded
// closes it.
func tellRulings(w io.Writer, rulings []overhead.Ruling) error {
	closed := false
	for _, r := range rulings {
		if _, err := fmt.Fprintf(w, "gate: %s\n", r); err != nil {
			return err
		}
		closed = closed || r.Verdict == overhead.Exceeded
	}
	if closed {
		return &exit{code: exitBelow}
	}
	return nil
}
