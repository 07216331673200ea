// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// checkMachine refuses to go on with a run on another kernel than it was begun on, and
// warns of what else has changed.
func (o runOptions) checkMachine(now results.Env, stderr io.Writer) error {
	folder, err := results.Open(o.resume)
	if err != nil {
		return openError(err)
	}
	if then := folder.Env.KernelRelease; then != "" && then != now.KernelRelease {
		return usage(fmt.Errorf("--resume %s: it was run on kernel %s, and this is %s", o.resume, then, now.KernelRelease))
	}
	for _, d := range results.Changes(folder.Env, now) {
		fmt.Fprintf(stderr, "warning: %s was %s when the run began and is %s now\n",
			d.Property, orUnknown(d.Values[0]), orUnknown(d.Values[1]))
	}
	return nil
}

// environment is that of this machine, of which not all may be seen.
func environment(gaps []collector.Gap) results.Env {
	env := results.ReadEnv(os.DirFS("/"), results.Build{Version: version, Commit: commit, ObjectHash: bpf.Hash()})
	if speed, err := harness.MeasureSpeed(); err == nil {
		env.Speed = &speed
	}
	for _, gap := range gaps {
		env.Unseen = append(env.Unseen, string(gap))
	}
	return env
}

// remaining is the plan of a folder without the runs that are recorded, or of the runs
// to play again alone.
func remaining(f *results.Folder, again []int) (results.Plan, error) {
	play := make(map[int]bool)
	for _, index := range again {
		if !slices.ContainsFunc(f.Plan.Runs, func(r results.Run) bool { return r.Index == index }) {
			return results.Plan{}, usage(fmt.Errorf("--rerun %d: %s has no such run planned", index, f.Dir))
		}
		play[index] = true
	}
	for _, r := range f.Records {
		if len(again) == 0 && r.Verdict == results.Lost {
			play[r.Index] = true
		}
	}
	plan := f.Plan
	plan.Runs = slices.DeleteFunc(slices.Clone(plan.Runs), func(r results.Run) bool { return !play[r.Index] })
	return plan, nil
}

// playedTwins are the valid twins recorded in a folder, for the faults of plan. One whose
// ledger is gone is left out; the record of its fault then says so.
func playedTwins(dir string, plan results.Plan) ([]harness.Twin, error) {
	folder, err := results.Open(dir)
	if err != nil {
		return nil, err
	}
	var twins []harness.Twin
	watchers := watchersOf(plan)
	for _, r := range folder.Records {
		if r.Variant != contention.TwinVariant || !slices.Contains(watchers, r.Analyzer) || !r.Verdict.Valid() || !hasFaultOf(plan, r.Run) {
			continue
		}
		l, err := readLedger(dir, r)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		twin := harness.Twin{Run: r.Run, Ledger: l}
		if results.IsPeer(r.Analyzer) {
			twin.Peer = r.Analyzer
		}
		twins = append(twins, twin)
	}
	return twins, nil
}

// watchersOf are the analysers of which each stands for another observation of a run: the
// first of those that share ours, and each peer.
func watchersOf(plan results.Plan) []string {
	first := slices.IndexFunc(plan.Analyzers, func(name string) bool { return !results.IsPeer(name) })
	return slices.DeleteFunc(slices.Clone(plan.Analyzers), func(name string) bool {
		return !results.IsPeer(name) && name != plan.Analyzers[first]
	})
}

// readLedger reads the account that the workload of a run left.
func readLedger(dir string, r results.Record) (*ledger.Ledger, error) {
	if r.Truth.Ledger == "" {
		return nil, fmt.Errorf("ledger of run %d: none was kept: %w", r.Index, fs.ErrNotExist)
	}
	data, err := results.ReadFile(dir, r.Truth.Ledger)
	if err != nil {
		return nil, fmt.Errorf("ledger of run %d: %w", r.Index, err)
	}
	l, err := ledger.DecodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("ledger of run %d, %s: %w", r.Index, r.Truth.Ledger, err)
	}
	return l, nil
}

// hasFaultOf reports whether plan holds the fault of a twin.
func hasFaultOf(plan results.Plan, twin results.Run) bool {
	return slices.ContainsFunc(plan.Runs, func(r results.Run) bool {
		return r.Variant == contention.FaultVariant && r.Scenario == twin.Scenario && r.Seed == twin.Seed && r.Dose == twin.Dose
	})
}

// checkRerun refuses to play again what there is no folder for.
func (o runOptions) checkRerun() error {
	if len(o.rerun) > 0 && o.resume == "" {
		return errors.New("--rerun plays runs of a folder again: --resume names it")
	}
	return nil
}
