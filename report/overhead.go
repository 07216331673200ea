// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/os2026/ebpf-rca/results"
)

// overheadRow is what one observer cost one workload.
type overheadRow struct {
	Workload, Observer   string
	Cost, Interval       string
	Noise                string
	Within               bool
	Pairs                int
	Events               string
	Lost                 uint64
	FloorLow, FloorHigh  int // the places of the noise floor, the interval and the
	Low, At, High, Equal int // ratio on a bar of 0 to 100, and that of no cost
}

// newOverhead puts all lines that have figures on one scale, so that bars can be compared.
func newOverhead(lines []results.OverheadLine) []overheadRow {
	least, most := 1.0, 1.0
	for _, l := range lines {
		for _, v := range []float64{l.Ratio, l.CI[0], l.CI[1], l.NoiseFloor[0], l.NoiseFloor[1]} {
			if v > 0 {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	at := func(v float64) int { return scale((v - least) / max(most-least, 0.01)) }
	var rows []overheadRow
	for _, l := range lines {
		if l.Absent != "" {
			continue
		}
		rows = append(rows, overheadRow{
			Workload: l.Workload, Observer: l.Observer, Pairs: l.Pairs, Lost: l.Loss.Events(), Within: l.WithinNoise(),
			Cost:     more(l.Ratio) + " %",
			Interval: more(l.CI[0]) + " to " + more(l.CI[1]) + " %",
			Noise:    more(l.NoiseFloor[0]) + " to " + more(l.NoiseFloor[1]) + " %",
			Events:   eventText(l.NsPerEvent),
			FloorLow: at(l.NoiseFloor[0]), FloorHigh: at(l.NoiseFloor[1]),
			Low: at(l.CI[0]), At: at(l.Ratio), High: at(l.CI[1]), Equal: at(1),
		})
	}
	return rows
}

// more renders a ratio as what it adds, in percent.
func more(ratio float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f", 100*(ratio-1)), "-", "−", 1)
}

func eventText(ns map[string]float64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(ns)) {
		parts = append(parts, fmt.Sprintf("%s %.0f", name, ns[name]))
	}
	return strings.Join(parts, ", ")
}
