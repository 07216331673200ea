// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"time"

	"github.com/cilium/ebpf"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// Cost is what watching has cost the kernel since it began.
type Cost struct {
	// Programs are those attached, by name; nil if Options.Cost was not set.
	Programs map[string]ProgramCost
	// MapBytes is the memory that maps take, threads' own storage aside.
	MapBytes uint64
}

// ProgramCost is how often a program ran and for how long in all.
type ProgramCost struct {
	Runs uint64
	Time time.Duration
}

// countCost has the kernel keep account of what each program of the machine costs,
// which itself costs some tens of nanoseconds a run. It takes CAP_SYS_ADMIN.
func (a *attachment) countCost() error {
	const runTime = 0 // BPF_STATS_RUN_TIME
	statistics, err := ebpf.EnableStats(runTime)
	if err != nil {
		return fmt.Errorf("count what programs cost: %w", err)
	}
	a.statistics = statistics
	return nil
}

func (a *attachment) cost() (Cost, error) {
	var cost Cost
	for name, m := range a.objects.Maps {
		info, err := m.Info()
		if err != nil {
			return Cost{}, fmt.Errorf("read the size of map %s: %w", name, err)
		}
		bytes, _ := info.Memlock()
		cost.MapBytes += bytes
	}
	if a.statistics == nil {
		return cost, nil
	}
	cost.Programs = make(map[string]ProgramCost)
	for name, p := range a.objects.Programs {
		stats, err := p.Stats()
		if err != nil {
			return Cost{}, fmt.Errorf("read the cost of program %s: %w", name, err)
		}
		cost.Programs[name] = ProgramCost{Runs: stats.RunCount, Time: stats.Runtime}
	}
	return cost, nil
}

// Empty is programs that do nothing, on the hooks that cost the most: the floor that the
// overhead of Observe is measured against.
type Empty struct{ attachment *attachment }

// AttachEmpty puts them to work until they are closed.
func AttachEmpty() (*Empty, error) {
	objects, err := bpf.LoadEmpty()
	if err != nil {
		return nil, fmt.Errorf("attach empty programs: %w", err)
	}
	a, err := attach(objects)
	if err != nil {
		return nil, fmt.Errorf("attach empty programs: %w", err)
	}
	return &Empty{a}, nil
}

// CountCost has the kernel keep account of what programs cost, until Close; see Options.Cost.
func (e *Empty) CountCost() error { return e.attachment.countCost() }

// Cost returns what the programs have cost so far.
func (e *Empty) Cost() (Cost, error) { return e.attachment.cost() }

// Close detaches them. It may be called twice.
func (e *Empty) Close() error { return e.attachment.Close() }

// CountCost has the kernel keep account of what programs cost, until Close; see Options.Cost.
func (c *LockCollector) CountCost() error { return c.attachment.countCost() }

// Cost returns what sampling has cost so far.
func (c *LockCollector) Cost() (Cost, error) { return c.attachment.cost() }

// Loss returns what was lost so far.
func (c *LockCollector) Loss() (contention.Loss, error) { return c.attachment.loss() }
