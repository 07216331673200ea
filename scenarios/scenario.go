// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// Needs is what a scenario cannot do without.
type Needs struct {
	// Kernel is the first series it runs on, as in "5.8".
	Kernel string `json:"kernel"`
	CPUs   int    `json:"cpus"`
	// Root says that the program itself must be run by root.
	Root bool `json:"root,omitempty"`
	// CPUQuota says that there must be control groups that limit CPU time, of version 1 at
	// /sys/fs/cgroup/cpu or of version 2 at /sys/fs/cgroup.
	CPUQuota bool `json:"cpu_quota,omitempty"`
}

// Decoy is an innocent thread that looks guilty.
type Decoy struct {
	// Label is the decoy's name in the ledger.
	Label string `json:"label"`
	// Looks says what makes it look guilty.
	Looks string `json:"looks"`
}

// Scenario declares one question and its right answer.
type Scenario struct {
	// Name is family-mechanism and never changes its meaning.
	Name string
	// Mechanism says in one sentence what goes on.
	Mechanism string
	// Control marks a program that has no culprit in any variant.
	Control bool
	// Smoke marks the few that are run on every change.
	Smoke bool
	Kinds []contention.Kind
	Needs Needs
	// Doses starts with the one that is used where none is asked for.
	Doses []contention.Dose
	// Workload is the program in workload/, without its extension.
	Workload string
	// Duration is how long one run lasts.
	Duration time.Duration

	// The right answer; empty for a control.

	Class contention.Class
	// Culprits is how many threads are at fault.
	Culprits int
	// Ordered says that several culprits must be found in the order of blame. Those of
	// a deadlock never are: its answer is one finding that names exactly them.
	Ordered bool
	// Unnamed says that no thread at fault can be named: it is gone when it keeps the
	// others waiting, or it did nothing that could be seen, or what is at fault is no
	// thread. Right is a finding of the class that names nobody. The ledger marks the
	// thread in which the fault is.
	Unnamed bool
	// Functions are those the culprit is in while it holds the others up; any of
	// them on the stack is right.
	Functions []string
	// Floor is the least true blame of the culprit, per second of window, at which
	// the fault counts as having bitten.
	Floor time.Duration
	// Twin says what the twin leaves out.
	Twin   string
	Decoys []Decoy
}

// Family is the first word of the name.
func (s Scenario) Family() string {
	family, _, _ := strings.Cut(s.Name, "-")
	return family
}

// Variants are the ways in which s is played in a plan.
func (s Scenario) Variants() []contention.Variant {
	if s.Control {
		return []contention.Variant{contention.ControlVariant}
	}
	return []contention.Variant{contention.FaultVariant, contention.TwinVariant}
}
