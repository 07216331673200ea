// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/harness/peers"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// runOptions are the flags of run.
type runOptions struct {
	run       string
	smoke     bool
	count     int
	seed      uint64
	out       string
	shard     results.Shard // Of is 0 where the plan is played whole
	resume    string
	rerun     []int
	analyzers []string
	overhead  bool
	doseSweep bool
	workloads string
	retries   int
	noKernel  bool
	capture   bool
}

// maxCount bounds a plan, which is written down before the first run: so many seeds
// of the whole catalogue take weeks.
const maxCount = 100_000

func newRun() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Play the catalogue on this kernel and grade the analysis",
		Long: `run plays each scenario with its fault and without (its twin), watches it blind, and
grades the answer against what the workload itself kept account of. It prints a table
and leaves a folder of records, which score and compare read. It needs root. The analysers
rca@LOSS are ours with less to go by, as rca@no-owners; a wrong name is told all of them.

With --dose-sweep it plays each scenario at up to twenty doses around the one it is
played at else: hold times crossed with numbers of contenders, and with noise, threads of
another process that sleep and run beside it. It then tells from which hold time on the
faults of each family are found. A fault that is too weak to be found is no failure there.

With --shard 2/4 it plays the second of four parts of the plan. Given the same scenarios,
seeds and analysers, each part is cut from the same plan, and a fault stays with its
twin; 'ebpf-rca merge' joins the folders.

With --resume it goes on where a run stopped: what has no record is played. With --rerun
it plays single runs again instead; the earlier records stay, and are told of.

--analyzer names who answers: ours, trivial ones, and tools of others (peer:NAME), each of
which watches the same runs played again. A tool that is absent is recorded as such.

With --overhead it also measures, for each scenario it plays, what being watched costs
the workload: pairs of runs, unwatched and watched in turn.`,
		Example: `  sudo ebpf-rca run --smoke
  sudo ebpf-rca run --run '^mutex-' --count 10 --out /tmp/mutexes
  sudo ebpf-rca run --analyzer rca,last-waker
  sudo ebpf-rca run --analyzer rca,peer:offcputime        # doctor says which peers are here
  sudo ebpf-rca run --dose-sweep --run '^(mutex|pipe)-' --count 5
  sudo ebpf-rca run --count 10 --shard 1/4 --out part-1   # on each of four machines
  sudo ebpf-rca run --resume /tmp/mutexes
  sudo ebpf-rca run --resume /tmp/mutexes --rerun 3,7`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("run takes no %q; --run selects scenarios", args[0])
			}
			return errors.Join(o.check(), o.checkResume(cmd.Flags().Changed), o.checkRerun())
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runCatalogue(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "only scenarios whose name matches the regular expression `RE`")
	f.BoolVar(&o.smoke, "smoke", false, "only the few that are run on every change")
	f.IntVar(&o.count, "count", 1, "how many seeds to play each scenario with")
	f.Uint64Var(&o.seed, "seed", 1, "the first seed; it decides which thread is the culprit")
	f.StringVar(&o.out, "out", "", "the folder to make (default results/runs/<time>-<kernel>-<id>)")
	f.StringVar(&o.resume, "resume", "", "go on with the run in folder `DIR` where it stopped")
	f.Func("shard", "play part `I/N` of the plan, the first is 1/N", func(text string) (err error) {
		o.shard, err = results.ParseShard(text)
		return err
	})
	f.IntSliceVar(&o.rerun, "rerun", nil, "with --resume: play the runs `INDEX,…` of the plan again, and no others")
	f.StringSliceVar(&o.analyzers, "analyzer", []string{"rca"}, "grade these, the first decides: "+shortAnalyzerNames()+", peer:NAME")
	f.BoolVar(&o.doseSweep, "dose-sweep", false, "play each scenario at doses from weak to strong")
	f.BoolVar(&o.overhead, "overhead", false, "measure what being watched costs each scenario")
	f.IntVar(&o.retries, "retries", 4, "how often to play a run again because the machine was too busy; each is counted")
	f.BoolVar(&o.noKernel, "no-kernel-locks", false, "do not watch the kernel's own locks, as on a kernel that does not tell of them")
	f.BoolVar(&o.capture, "keep-capture", false, "keep what the analysis is given of each run, for replay")
	f.StringVar(&o.workloads, "workloads", "", "where the workload programs are (default: workloads beside this program)")
	return cmd
}

func (o runOptions) check() error {
	if o.count < 1 || o.count > maxCount {
		return fmt.Errorf("--count %d: it lies between 1 and %d", o.count, maxCount)
	}
	if o.retries < 0 {
		return fmt.Errorf("--retries %d: it must not be negative", o.retries)
	}
	if len(o.analyzers) == 0 {
		return fmt.Errorf("--analyzer names none: there are %s", analyzerNames())
	}
	for _, name := range o.analyzers {
		if _, err := findAnalyzer(name); err != nil && !slices.Contains(peerNames(), name) {
			return err
		}
	}
	_, err := o.selected()
	return err
}

// checkResume refuses the flags that a plan made earlier has decided.
func (o runOptions) checkResume(changed func(flag string) bool) error {
	for _, name := range []string{"out", "run", "smoke", "count", "seed", "analyzer", "shard", "dose-sweep"} {
		if changed("resume") && changed(name) {
			return fmt.Errorf("--%s and --resume exclude each other: the plan is made", name)
		}
	}
	return nil
}

// selected are the scenarios that the flags ask for.
func (o runOptions) selected() ([]scenarios.Scenario, error) {
	match, err := regexp.Compile(o.run)
	if err != nil {
		return nil, fmt.Errorf("--run %q: %w", o.run, err)
	}
	var out []scenarios.Scenario
	for _, s := range scenarios.Catalogue() {
		if match.MatchString(s.Name) && (s.Smoke || !o.smoke) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no scenario is selected; 'ebpf-rca list' names them")
	}
	return out, nil
}

func runCatalogue(ctx context.Context, o runOptions, stdout, stderr io.Writer) error {
	stage, err := o.stage()
	if err != nil {
		return err
	}
	observer := observer{collector.Options{NoKernelLocks: o.noKernel, Kernel: collector.NewKernel()}}
	gaps, err := preflight(observer.options)
	if err != nil {
		return err
	}
	env := environment(gaps)
	if o.resume != "" {
		if err := o.checkMachine(env, stderr); err != nil {
			return err
		}
	}
	store, plan, err := openStore(o, env)
	if err != nil {
		return err
	}
	defer store.Close()
	twins, err := playedTwins(store.Dir(), plan)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "results go to %s\n", store.Dir())

	report := runReport{progress: newProgress(stderr), w: stderr}
	err = harness.Run(ctx, plan, harness.Options{
		Stage:       stage,
		Observer:    observer,
		Analyzers:   analyzers(),
		Peers:       peers.All(),
		Scenarios:   scenarios.Catalogue(),
		Sink:        store,
		Free:        store.Free,
		Retries:     o.retries,
		KeepCapture: o.capture,
		Twins:       twins,
		Progress:    report.tell,
	})
	report.progress.clear()
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !interrupted {
		return err
	}
	var unmeasured error
	if o.overhead && !interrupted {
		unmeasured = measureOverhead(ctx, o, stage, store, stdout, stderr)
	}
	if err := store.Close(); err != nil {
		return err
	}
	if interrupted {
		fmt.Fprintf(stderr, "stopped; 'ebpf-rca run --resume %s' goes on\n", store.Dir())
	}
	return errors.Join(unmeasured, concludeRun(store.Dir(), stdout, stderr))
}

// preflight finds out whether this machine lets us watch at all, before a plan is
// written that could only fail, and what is not seen of it.
func preflight(options collector.Options) ([]collector.Gap, error) {
	gaps, err := collector.Check(options)
	if err != nil {
		return nil, explainObserve(err)
	}
	return gaps, nil
}

// openStore makes the result folder with its plan, or opens the one to resume. The
// plan returned holds what is still to be run.
func openStore(o runOptions, env results.Env) (*results.Store, results.Plan, error) {
	options := results.StoreOptions{Owner: results.OwnerFromEnv(os.Getenv)}
	if o.resume != "" {
		store, folder, err := results.Resume(o.resume, options)
		if err != nil {
			return nil, results.Plan{}, err
		}
		plan, err := remaining(folder, o.rerun)
		if err != nil {
			return nil, results.Plan{}, errors.Join(err, store.Close())
		}
		return store, plan, nil
	}
	plan, err := o.plan(kernelRelease())
	if err != nil {
		return nil, results.Plan{}, usage(err)
	}
	dir := o.out
	if dir == "" {
		dir = filepath.Join("results", "runs", plan.RunID)
	}
	store, err := results.Create(dir, plan, env, options)
	if errors.Is(err, results.ErrExists) {
		err = usage(fmt.Errorf("%w; --resume %s goes on with it", err, dir))
	}
	return store, plan, err
}

// plan is what the flags ask for, to be run on a kernel of that release.
func (o runOptions) plan(release string) (results.Plan, error) {
	selected, err := o.selected()
	if err != nil {
		return results.Plan{}, err
	}
	questions := harness.Questions(selected)
	if o.doseSweep {
		questions = harness.Sweep(selected)
	}
	plan, err := results.NewPlan(results.PlanOptions{
		RunID:     results.NewRunID(time.Now().UTC(), release, uint16(rand.Uint32())),
		Questions: questions, Count: o.count, Seed: o.seed, Analyzers: o.analyzers,
	})
	if err != nil || o.shard.Of == 0 {
		return plan, err
	}
	if plan, err = plan.Cut(o.shard); err != nil {
		return results.Plan{}, fmt.Errorf("--shard: %w", err)
	}
	return plan, nil
}

// concludeRun scores a folder, writes its exports, prints its table and turns its
// outcome into an exit code.
func concludeRun(dir string, stdout, stderr io.Writer) error {
	folder, err := openGraded(dir)
	if err != nil {
		return err
	}
	if err := writeExports(folder); err != nil {
		return err
	}
	if err := appendStepSummary(folder); err != nil {
		return err
	}
	return tellScores(folder, stdout, stderr)
}
