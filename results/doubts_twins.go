// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"

	"github.com/os2026/ebpf-rca/contention"
)

// doubtTwins finds the twins that nobody could have been accused in. The controls are
// not asked to wait: some are about programs that do not.
func doubtTwins(records []Record) []string {
	empty, twins := map[string]int{}, map[string]int{}
	for _, r := range valid(records, func(r Record) bool { return r.Variant == contention.TwinVariant }) {
		twins[r.Scenario]++
		if r.Truth.Waits == 0 || r.Truth.WaitTime == 0 {
			empty[r.Scenario]++
		}
	}
	var list []string
	for _, scenario := range sortedKeys(empty) {
		list = append(list, fmt.Sprintf("%s: nobody waits in %d of %d twins: that nobody is accused in them says nothing",
			scenario, empty[scenario], twins[scenario]))
	}
	return list
}
