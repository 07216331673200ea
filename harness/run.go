// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// Sink keeps what runs leave, as results.Store does.
type Sink interface {
	// Append keeps one record for good.
	Append(results.Record) error
	// PutFile keeps a file by its name relative to the result folder; one whose name
	// ends in .zst is compressed on the way, unless it is already.
	PutFile(name string, data []byte) error
}

// Options says how a plan is played. Observer, Scenarios and Sink are required.
type Options struct {
	Stage
	Observer Observer
	// Analyzers are those that the plan may name.
	Analyzers []Analyzer
	// Peers are the tools that the plan may name.
	Peers []Peer
	// Scenarios are those that the plan may name.
	Scenarios []scenarios.Scenario
	Sink      Sink
	// Free, if there is one, makes of the name of a file one that is not taken by what an
	// earlier attempt at the run has left.
	Free func(name string) (string, error)
	// Kernel is the release and CPUs the number that needs are held against; empty
	// and 0 are those of this machine.
	Kernel string
	CPUs   int
	// Retries is how often a run may be played again because the machine was too
	// busy. That is known before the analysis is asked, and it is recorded.
	Retries int
	// Twins were played and found valid before. A fault of the plan whose twin is not in
	// it is held against the one here.
	Twins []Twin
	// KeepCapture has what the analysis is given of each run written to captures/.
	KeepCapture bool
	// Health, if there is one, is asked after each run whether the kernel is still sound. An
	// error is why the run does not count.
	Health func() error
	// Progress, if there is one, is told when a run begins and when it is recorded.
	Progress func(Event)
}

// Event is a step of a plan.
type Event struct {
	// Done is how many of the Total runs are recorded; a run counts once for each observer.
	Done, Total int
	Run         results.Run
	// Records are those of the run; empty when it begins.
	Records []results.Record
}

// Run plays a plan in order and records what comes of it: one record a run and
// analyser. A run that fails is recorded as such and the plan goes on. The records
// of a fault follow those of its twin where the twin is played later, because the
// twin tells whether the fault bit.
//
// Run returns early when ctx ends, with its error, or when a record cannot be kept.
// What was not recorded by then has no record.
func Run(ctx context.Context, plan results.Plan, o Options) error {
	runners, err := newRunners(plan, o)
	if err != nil {
		return fmt.Errorf("run plan: %w", err)
	}
	for _, run := range plan.Runs {
		for _, r := range runners {
			if err := r.take(ctx, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// take plays one run and records what can be.
func (r *runner) take(ctx context.Context, run results.Run) error {
	r.tell(run, nil)
	out := r.play(ctx, run)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.settle(out); err != nil {
		return fmt.Errorf("record run %d: %w", run.Index, err)
	}
	return nil
}

// runner is the state of a plan being played under one observer.
type runner struct {
	Options
	peer      string // empty if it is not one that observes
	analyzers []Analyzer
	scenarios map[string]scenarios.Scenario
	machine   machine
	pairs     *pairs
	progress  *progress
}

// progress is how far all runners of a plan have come.
type progress struct{ done, total int }

// newRunners makes one runner for the analysers that share the observer of the options,
// and one for each peer.
func newRunners(plan results.Plan, o Options) ([]*runner, error) {
	if o.Observer == nil || o.Sink == nil {
		return nil, errors.New("no observer or no sink")
	}
	ours, peers, err := o.find(plan.Analyzers)
	if err != nil {
		return nil, err
	}
	all := &progress{}
	var runners []*runner
	if len(ours) > 0 {
		r, err := newRunner(plan, o, all, "", ours...)
		if err != nil {
			return nil, err
		}
		runners = append(runners, r)
	}
	for _, p := range peers {
		o.Observer = p.Observer
		r, err := newRunner(plan, o, all, p.Name, Analyzer{Name: p.Name})
		if err != nil {
			return nil, err
		}
		runners = append(runners, r)
	}
	all.total = len(runners) * len(plan.Runs)
	return runners, nil
}

// find divides the names of a plan into analysers and peers.
func (o Options) find(names []string) (ours []Analyzer, peers []Peer, err error) {
	for _, name := range names {
		p := slices.IndexFunc(o.Peers, func(p Peer) bool { return p.Name == name })
		a := slices.IndexFunc(o.Analyzers, func(a Analyzer) bool { return a.Name == name })
		switch {
		case p >= 0:
			peers = append(peers, o.Peers[p])
		case a >= 0:
			ours = append(ours, o.Analyzers[a])
		default:
			return nil, nil, fmt.Errorf("unknown analyser %q", name)
		}
	}
	return ours, peers, nil
}

func newRunner(plan results.Plan, o Options, all *progress, peer string, analyzers ...Analyzer) (*runner, error) {
	before := slices.DeleteFunc(slices.Clone(o.Twins), func(t Twin) bool { return t.Peer != peer })
	r := &runner{
		Options: o, peer: peer, analyzers: analyzers, scenarios: map[string]scenarios.Scenario{},
		pairs: newPairs(plan, before), progress: all,
	}
	for _, s := range o.Scenarios {
		r.scenarios[s.Name] = s
	}
	if r.CPUs == 0 {
		r.CPUs = runtime.NumCPU()
	}
	if r.Kernel == "" {
		var u unix.Utsname
		if err := unix.Uname(&u); err != nil {
			return nil, fmt.Errorf("uname: %w", err)
		}
		r.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	r.machine = machine{r.Kernel, r.CPUs, hasQuota(cgroupRoot, quotaSetting)}
	return r, nil
}

// outcome is one run as far as it got.
type outcome struct {
	run      results.Run
	scenario scenarios.Scenario
	played   *played // nil if it failed or was not tried
	ruling   ruling
	dropped  []string // why earlier attempts do not count
}

// play plays one run, again if the machine was too busy and that is allowed.
func (r *runner) play(ctx context.Context, run results.Run) *outcome {
	var dropped []string
	for {
		out := r.attempt(ctx, run)
		out.dropped = dropped
		if !out.ruling.busy || len(dropped) == r.Retries || ctx.Err() != nil {
			return out
		}
		dropped = append(dropped, out.ruling.reason)
	}
}

// attempt plays one run and judges it by itself.
func (r *runner) attempt(ctx context.Context, run results.Run) *outcome {
	out := &outcome{run: run}
	var known bool
	if out.scenario, known = r.scenarios[run.Scenario]; !known {
		out.ruling = rule(results.Infra, "unknown scenario %s", run.Scenario)
		return out
	}
	if out.ruling = r.machine.supports(out.scenario.Needs); !out.ruling.valid() {
		return out
	}
	played, err := r.Stage.play(ctx, out.scenario, run, r.Observer)
	if r.Health != nil {
		err = errors.Join(r.Health(), err)
	}
	if err == nil {
		err = marked(out.scenario, run.Variant, played.ledger)
	}
	if err != nil {
		out.ruling = failed(err)
		return out
	}
	out.played = played
	out.ruling = played.trusted(out.scenario, run, r.CPUs)
	return out
}

// failed is the ruling on a run that did not come to its end.
func failed(err error) ruling {
	r := ruling{verdict: results.Infra, reason: err.Error()}
	switch {
	case errors.Is(err, ErrAbsent):
		r.verdict = results.Unsupported
	case errors.Is(err, ErrTimeout):
		r.verdict = results.Timeout
	}
	return r
}

// settle records a run, or keeps it back until its twin has been played, and
// records what was kept back for it.
func (r *runner) settle(out *outcome) error {
	for _, ready := range r.pairs.add(out) {
		if err := r.record(ready.outcome, ready.twin); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) tell(run results.Run, records []results.Record) {
	if r.Progress != nil {
		r.Progress(Event{Done: r.progress.done, Total: r.progress.total, Run: run, Records: records})
	}
}
