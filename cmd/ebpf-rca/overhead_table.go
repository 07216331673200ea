// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
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
	var absent []string
	for _, l := range lines {
		if l.Absent == "" {
			writeOverheadRow(table, l)
		} else {
			absent = append(absent, fmt.Sprintf("%s: %s\n", l.Observer, printable(l.Absent)))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, strings.Join(absent, ""))
	return err
}

func writeOverheadRow(w io.Writer, l results.OverheadLine) {
	fmt.Fprintf(w, "%s\t%s\t%.3f–%.3f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n", l.Observer, overheadText(l), l.CI[0], l.CI[1],
		timesText(l.TimesEmpty), proportion(l.Throughput), proportion(l.P99), nsText(l), countText(l.EventsPerSecond),
		shareText(l), megabytes(l.RSSBytes), megabytes(l.MapBytes), l.Loss.Events())
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

// shareText is that of a process, of which the memory is known, too.
func shareText(l results.OverheadLine) string {
	if l.RSSBytes == 0 {
		return unknown
	}
	return fmt.Sprintf("%.1f %%", 100*l.CPUShare)
}

func megabytes(bytes uint64) string {
	if bytes == 0 {
		return unknown
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
