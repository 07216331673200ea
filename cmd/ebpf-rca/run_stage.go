// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// stage finds the workload programs that the run needs.
func (o runOptions) stage() (harness.Stage, error) {
	dir := o.workloads
	if dir == "" {
		self, err := os.Executable()
		if err != nil {
			return harness.Stage{}, fmt.Errorf("find the workloads: %w", err)
		}
		dir = filepath.Join(filepath.Dir(self), "workloads")
	}
	needed, err := o.needed()
	if err != nil {
		return harness.Stage{}, err
	}
	for _, program := range needed {
		if _, err := exec.LookPath(filepath.Join(dir, program)); err != nil {
			return harness.Stage{}, &exit{code: exitNothing, cause: fmt.Errorf("find the workloads: %w; 'make build' makes them", err)}
		}
	}
	return harness.Stage{WorkloadDir: dir}, nil
}

// needed are the programs that the run plays; a plan to be resumed has decided them.
func (o runOptions) needed() ([]string, error) {
	if o.resume != "" {
		return neededToResume(o.resume)
	}
	selected, err := o.selected()
	if err != nil {
		return nil, err
	}
	var programs []string
	for _, s := range selected {
		programs = append(programs, s.Workload)
	}
	if o.doseSweep {
		programs = append(programs, scenarios.Noise)
	}
	return programs, nil
}

func neededToResume(dir string) ([]string, error) {
	folder, err := results.Open(dir)
	if err != nil {
		return nil, openError(err)
	}
	var programs []string
	for _, name := range folder.Plan.Scenarios() {
		if s, ok := scenarios.Find(name); ok {
			programs = append(programs, s.Workload)
		}
	}
	if slices.ContainsFunc(folder.Plan.Runs, func(r results.Run) bool { return r.Dose.Noise > 0 }) {
		programs = append(programs, scenarios.Noise)
	}
	return programs, nil
}
