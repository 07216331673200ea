// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/os2026/ebpf-rca/results"
)

// writeOverheadTable tells what each observer cost one workload.
func writeOverheadTable(w io.Writer, lines []results.OverheadLine) error {
	if len(lines) == 0 {
		return nil
	}
	first := lines[0]
	if first.Absent != "" {
		_, err := fmt.Fprintf(w, "%s: %s\n\n", first.Workload, printable(first.Absent))
		return err
	}
	fmt.Fprintf(w, "%s: %s, unobserved runs differ by %.3f–%.3f\n", first.Workload, plural(first.Pairs, "pair"),
		first.NoiseFloor[0], first.NoiseFloor[1])
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "OBSERVER\tCPU TIME\t95 %\t× EMPTY\tTHROUGHPUT\tP99\tNS A RUN\tRUNS/S\tITS CPU\tMEMORY\tMAPS\tLOST")
	for _, l := range lines {
		writeOverheadRow(table, l)
	}
	fmt.Fprintln(table)
	return table.Flush()
}

func writeOverheadRow(w io.Writer, l results.OverheadLine) {
	if l.Absent != "" {
		fmt.Fprintf(w, "%s\t%s\n", l.Observer, printable(l.Absent))
		return
	}
	fmt.Fprintf(w, "%s\t%s\t%.3f–%.3f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n", l.Observer, overheadText(l), l.CI[0], l.CI[1],
		timesText(l.TimesEmpty), proportion(l.Throughput), proportion(l.P99), nsText(l), countText(l.EventsPerSecond),
		shareText(l.CPUShare), megabytes(l.RSSBytes), megabytes(l.MapBytes), l.Loss.Events())
}

// overheadText is the ratio, unless unwatched runs differ as much from one another.
func overheadText(l results.OverheadLine) string {
	switch {
	case l.WithinNoise() && l.TooNoisy():
		return "not decidable"
	case l.WithinNoise():
		return "within noise"
	default:
		return fmt.Sprintf("%.3f", l.Ratio)
	}
}

// unknown stands where there is no figure.
const unknown = "-"

func timesText(r *results.OverheadRatio) string {
	if r == nil {
		return unknown
	}
	return fmt.Sprintf("%.1f (%.1f–%.1f)", r.Ratio, r.CI[0], r.CI[1])
}

func proportion(r *results.OverheadRatio) string {
	if r == nil {
		return unknown
	}
	return fmt.Sprintf("%.3f", r.Ratio)
}

// nsText is the mean over all programs.
func nsText(l results.OverheadLine) string {
	if l.EventsPerSecond == 0 {
		return unknown
	}
	return fmt.Sprintf("%.0f", l.ProgramShare*1e9/l.EventsPerSecond)
}

func countText(n float64) string {
	if n == 0 {
		return unknown
	}
	return fmt.Sprintf("%.0f", n)
}

func shareText(share float64) string {
	if share == 0 {
		return unknown
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

func megabytes(bytes uint64) string {
	if bytes == 0 {
		return unknown
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
