// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/harness/peers"
	"github.com/os2026/ebpf-rca/rca"
	"github.com/os2026/ebpf-rca/rca/baseline"
	"github.com/os2026/ebpf-rca/results"
)

// observer is the collector as the harness wants it.
type observer struct {
	options collector.Options
}

func (o observer) Attach(_ context.Context, pid int) (harness.Observation, error) {
	seen, err := collector.Observe(pid, o.options)
	if err != nil {
		return nil, err
	}
	return &observation{seen}, nil
}

type observation struct {
	*collector.Observation
}

func (o *observation) Finish(_ context.Context, window contention.Window) (*contention.Trace, error) {
	return o.Cut(window)
}

// Cost is what the programs cost by the kernel's account. It is empty where the
// kernel was not asked to keep one.
func (o *observation) Cost() results.Overhead {
	cost, err := o.Observation.Cost()
	if err != nil || len(cost.Programs) == 0 {
		return results.Overhead{}
	}
	out := results.Overhead{NsPerEvent: make(map[string]float64)}
	for name, program := range cost.Programs {
		if program.Runs > 0 {
			out.NsPerEvent[name] = float64(program.Time) / float64(program.Runs)
			out.Events += program.Runs
		}
	}
	return out
}

// ourAnalyzer is the name of the analysis that diagnose makes.
const ourAnalyzer = "rca"

// analyzers are those that runs can be graded with: ours, the trivial ones that it must
// beat, and ours with less to go by.
func analyzers() []harness.Analyzer {
	ours := harness.Analyzer{Name: ourAnalyzer, Analyze: func(t *contention.Trace) contention.Analysis {
		return rca.Analyze(t, rca.Options{})
	}}
	all := []harness.Analyzer{ours}
	for _, b := range baseline.All() {
		all = append(all, harness.Analyzer{Name: b.Name, Analyze: b.Analyze})
	}
	return append(all, harness.Degraded(ours)...)
}

// findAnalyzer is the analyser that the flag --analyzer names.
func findAnalyzer(name string) (harness.Analyzer, error) {
	for _, a := range analyzers() {
		if a.Name == name {
			return a, nil
		}
	}
	return harness.Analyzer{}, fmt.Errorf("--analyzer %s: there are %s", name, analyzerNames())
}

func analyzerNames() string {
	var names []string
	for _, a := range analyzers() {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// peerNames are those of the tools of others, which can be asked only while a run is played.
func peerNames() []string {
	var names []string
	for _, p := range peers.All() {
		names = append(names, p.Name)
	}
	return names
}

// shortAnalyzerNames has one name for all of those with less to go by.
func shortAnalyzerNames() string {
	names := slices.DeleteFunc(strings.Split(analyzerNames(), ", "), func(name string) bool { return strings.Contains(name, "@") })
	return strings.Join(append(names, "rca@LOSS"), ", ")
}
