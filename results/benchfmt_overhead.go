// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

// writeOverheadLines adds what observing cost, where the folder has it. Lines that are
// damaged are left out, as wherever they are read; the report tells of them.
func writeOverheadLines(b *bytes.Buffer, f *Folder) error {
	data, err := ReadFile(f.Dir, OverheadFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	lines, _, err := ReadOverhead(bytes.NewReader(data))
	if err != nil {
		return err
	}
	b.WriteString("Unit overhead-ratio better=lower\n\n")
	for _, l := range lines {
		if l.Absent == "" {
			writeOverheadLine(b, l)
		}
	}
	return nil
}

func writeOverheadLine(b *bytes.Buffer, l OverheadLine) {
	fmt.Fprintf(b, "BenchmarkOverhead/workload=%s/observer=%s %d", scenarioKey(l.Workload), scenarioKey(l.Observer), max(l.Pairs, 1))
	figure := func(value float64, unit string) {
		if value > 0 {
			fmt.Fprintf(b, " %s %s", strconv.FormatFloat(value, 'g', -1, 64), unit)
		}
	}
	figure(l.Ratio, "overhead-ratio")
	figure(l.ProgramShare, "bpf-cpus")
	figure(l.CPUShare, "observer-cpus")
	figure(float64(l.RSSBytes), "observer-B")
	for _, program := range sortedKeys(l.NsPerEvent) {
		figure(l.NsPerEvent[program]/1e9, fileSafe(program)+"-sec/event")
	}
	b.WriteByte('\n')
}
