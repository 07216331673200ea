// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"slices"

	"github.com/os2026/ebpf-rca/contention"
)

// doseRecords are the records of one dose and how it is named.
type doseRecords struct {
	key     string
	records []Record
}

// byDose divides records by dose, in the order they come in; if doses were not varied
// they stay together and the dose has no name.
func (f *Folder) byDose(records []Record) []doseRecords {
	if !f.Plan.Swept() {
		return []doseRecords{{"", records}}
	}
	var parts []doseRecords
	for _, r := range records {
		key := doseKey(r.Dose)
		i := slices.IndexFunc(parts, func(p doseRecords) bool { return p.key == key })
		if i < 0 {
			i, parts = len(parts), append(parts, doseRecords{key: key})
		}
		parts[i].records = append(parts[i].records, r)
	}
	return parts
}

// doseKey names a dose behind the name of a scenario or run.
func doseKey(d contention.Dose) string {
	return fmt.Sprintf("/hold-ns=%d/contenders=%d/noise=%d", d.Hold, d.Contenders, d.Noise)
}
