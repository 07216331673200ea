// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// blockSeeds is how many seeds one line of bench.txt stands for. Comparing medians
// of single runs, each 0 or 1, would hide every change that is not of half of them.
const blockSeeds = 5

// benchUnit is one figure of a block.
type benchUnit struct {
	name, better string
	// figure returns false where the block does not tell.
	figure func(Summary) (float64, bool)
}

var benchUnits = []benchUnit{
	{"ac@1", "higher", func(s Summary) (float64, bool) { return s.Thread.AC1.figure() }},
	{"frame-ac@1", "higher", func(s Summary) (float64, bool) { return s.Frame.figure() }},
	{"chain-f1", "higher", func(s Summary) (float64, bool) {
		if s.ChainF1 == nil {
			return 0, false
		}
		return *s.ChainF1, true
	}},
	{"far", "lower", func(s Summary) (float64, bool) { return s.FAR.figure() }},
	{"blame-error", "lower", func(s Summary) (float64, bool) { return s.BlameError.figure() }},
	{"tv-distance", "lower", func(s Summary) (float64, bool) { return s.TVDistance.figure() }},
	{"valid", "higher", func(s Summary) (float64, bool) { return s.Validity.figure() }},
	{"detected-sec", "lower", func(s Summary) (float64, bool) {
		median, ok := s.DetectedAfter.figure()
		return median / 1e9, ok
	}},
}

func (p Proportion) figure() (float64, bool) { return p.Value, p.N > 0 }
func (s Spread) figure() (float64, bool)     { return s.Median, s.N > 0 }

// emulated is the Accel of a machine that is emulated. What observing costs there says
// nothing of any other machine, so it is not handed on to be compared.
const emulated = "tcg"

// WriteBench exports a folder in the Go benchmark format, for benchstat: one line
// for each block of five seeds of a scenario and analyser, and of each dose where doses
// were varied, in base units. Blocks without a valid run have no line. What observing cost
// comes first, where it was measured.
func WriteBench(w io.Writer, f *Folder) error {
	var b bytes.Buffer
	writeConfig(&b, f)
	for _, u := range benchUnits {
		fmt.Fprintf(&b, "Unit %s better=%s\n", u.name, u.better)
	}
	if f.Env.Accel != emulated {
		if err := writeOverheadLines(&b, f); err != nil {
			return fmt.Errorf("write benchmark lines: %w", err)
		}
	}
	for _, analyzer := range f.Plan.Analyzers {
		fmt.Fprintf(&b, "\nanalyzer: %s\n", oneLine(analyzer))
		for _, scenario := range f.Plan.Scenarios() {
			for _, part := range f.byDose(f.Select(scenario, analyzer)) {
				for _, block := range blocks(part.records) {
					writeBlock(&b, scenarioKey(scenario)+part.key, block, f.Env.Accel != emulated)
				}
			}
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write benchmark lines: %w", err)
	}
	return nil
}

// writeConfig writes what benchstat can group and filter by. It puts figures into
// one table only where all keys but the one compared agree, so there is no key for
// what is never the same twice, such as the run.
func writeConfig(b *bytes.Buffer, f *Folder) {
	for _, line := range [][2]string{
		{"kernel", f.Env.KernelRelease},
		{"goarch", f.Env.Architecture},
		{"accel", f.Env.Accel},
		{"commit", f.Env.ToolCommit},
	} {
		if value := oneLine(line[1]); value != "" {
			fmt.Fprintf(b, "%s: %s\n", line[0], value)
		}
	}
}

func writeBlock(b *bytes.Buffer, name string, records []Record, withOverhead bool) {
	s := Summarize(records)
	graded := len(valid(records, func(Record) bool { return true }))
	if graded == 0 {
		return
	}
	fmt.Fprintf(b, "BenchmarkDiagnose/scenario=%s %d", name, graded)
	for _, u := range benchUnits {
		if v, ok := u.figure(s); ok {
			fmt.Fprintf(b, " %s %s", strconv.FormatFloat(v, 'g', -1, 64), u.name)
		}
	}
	if withOverhead {
		for _, o := range medianOverheads(records) {
			fmt.Fprintf(b, " %s %s", strconv.FormatFloat(o.value, 'g', -1, 64), o.unit)
		}
	}
	b.WriteByte('\n')
}

type overheadFigure struct {
	unit  string
	value float64
}

// medianOverheads gives, where it was measured, the work ratio and the run time of
// the eBPF programs in seconds an event and in CPUs.
func medianOverheads(records []Record) []overheadFigure {
	var ratios, cpus []float64
	events := map[string][]float64{}
	for _, r := range records {
		if !r.Verdict.Valid() {
			continue
		}
		if r.Overhead.Ratio > 0 {
			ratios = append(ratios, r.Overhead.Ratio)
		}
		if r.Overhead.CPUShare > 0 {
			cpus = append(cpus, r.Overhead.CPUShare)
		}
		for program, ns := range r.Overhead.NsPerEvent {
			events[program] = append(events[program], ns/1e9)
		}
	}
	var out []overheadFigure
	add := func(unit string, values []float64) {
		if median, ok := Quantile(values, 0.5); ok {
			out = append(out, overheadFigure{unit, median})
		}
	}
	add("overhead-ratio", ratios)
	add("bpf-cpus", cpus)
	for _, program := range sortedKeys(events) {
		add(fileSafe(program)+"-sec/event", events[program])
	}
	return out
}

// blocks divides records by seed, five seeds to a block, in the order of the seeds.
func blocks(records []Record) [][]Record {
	bySeed := map[uint64][]Record{}
	for _, r := range records {
		bySeed[r.Seed] = append(bySeed[r.Seed], r)
	}
	var out [][]Record
	for part := range slices.Chunk(sortedKeys(bySeed), blockSeeds) {
		var block []Record
		for _, seed := range part {
			block = append(block, bySeed[seed]...)
		}
		out = append(out, block)
	}
	return out
}

// scenarioKey is a scenario as part of a benchmark's name, where spaces and
// slashes would end it.
func scenarioKey(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '/' || r == 0x7f {
			return '_'
		}
		return r
	}, name)
}

// oneLine joins what is on several lines.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
