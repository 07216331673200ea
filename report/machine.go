// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/os2026/ebpf-rca/results"
)

// machine lists what is known of where a folder was made.
func machine(e results.Env) []property {
	var list []property
	add := func(name, value string) {
		if value != "" {
			list = append(list, property{name, value})
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
	add("ebpf-rca", strings.TrimSpace(e.ToolVersion+" "+short(e.ToolCommit)))
	add("eBPF objects", e.ObjectHash)
	add("Go", e.GoVersion)
	add("Not seen", strings.Join(e.Unseen, "; "))
	return list
}

// short is a commit as people write it.
func short(commit string) string { return commit[:min(len(commit), 12)] }
