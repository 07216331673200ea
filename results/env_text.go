// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"strings"
)

// Property is something known of a machine, to be read.
type Property struct{ Name, Value string }

// Properties lists what is known of the machine and the program that can matter to a
// reader of figures.
func (e Env) Properties() []Property {
	var list []Property
	add := func(name, value string) {
		if value != "" {
			list = append(list, Property{name, value})
		}
	}
	add("Kernel", strings.TrimSpace(e.KernelRelease+" "+e.KernelVersion))
	add("Distribution", e.Distribution)
	add("Architecture", e.Architecture)
	add("Accelerator", e.Accel)
	add("QEMU", e.QEMUVersion)
	if e.CPUs > 0 {
		add("CPUs", fmt.Sprint(e.CPUs))
	}
	add("Preemption", e.Preemption)
	add("Clock source", e.ClockSource)
	if e.Steal != nil {
		add("Steal since boot", fmt.Sprintf("%.1f %%", 100**e.Steal))
	}
	add("ebpf-rca", strings.TrimSpace(e.ToolVersion+" "+shortCommit(e.ToolCommit)))
	add("eBPF objects", e.ObjectHash)
	add("Go", e.GoVersion)
	add("Not seen", strings.Join(e.Unseen, "; "))
	return list
}

// shortCommit is a commit as people write it.
func shortCommit(commit string) string { return commit[:min(len(commit), 12)] }
