// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
)

// measureOverhead measures each selected scenario, prints a table and keeps the
// figures in the result folder. The time a program takes is measured in runs of its
// own, because the kernel's account of it costs time itself.
func measureOverhead(ctx context.Context, o runOptions, stage harness.Stage, store *results.Store, stdout, stderr io.Writer) error {
	selected, err := o.selected()
	if err != nil {
		return usage(err)
	}
	bar := newProgress(stderr)
	defer bar.clear()
	var lines bytes.Buffer
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "OVERHEAD\tRATIO\t95 %\tNOISE FLOOR\tNS AN EVENT\tLOST")
	for i, question := range harness.Questions(selected) {
		s := selected[i]
		if o.shard.Of > 0 && i%o.shard.Of != o.shard.Number-1 {
			continue // another part measures it
		}
		options := harness.OverheadOptions{
			Stage: stage, Scenario: s, Variant: question.Variants[0], Seed: o.seed, Dose: question.Doses[0],
			Progress: func(done, total int) { bar.show("overhead of %s: %d/%d", s.Name, done, total) },
		}
		line, err := overheadOf(ctx, options)
		if err != nil {
			return err
		}
		bar.clear()
		fmt.Fprintf(table, "%s\t%s\t%.3f–%.3f\t%.3f–%.3f\t%s\t%d\n", s.Name, overheadText(line), line.CI[0], line.CI[1],
			line.NoiseFloor[0], line.NoiseFloor[1], eventText(line.NsPerEvent), line.Loss.Events())
		if err := json.NewEncoder(&lines).Encode(line); err != nil {
			return fmt.Errorf("write the overhead: %w", err)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return store.PutFile(results.OverheadFile, lines.Bytes())
}

func overheadOf(ctx context.Context, o harness.OverheadOptions) (results.OverheadLine, error) {
	o.Observer = observer{}
	ratio, err := harness.MeasureOverhead(ctx, o)
	if err != nil {
		return results.OverheadLine{}, err
	}
	o.Observer, o.Pairs = observer{collector.Options{Cost: true}}, 2
	cost, err := harness.MeasureOverhead(ctx, o)
	if err != nil {
		return results.OverheadLine{}, err
	}
	return lineOf(o.Scenario.Name, ratio, cost), nil
}

// lineOf is the line of a workload, of which one measurement gave the ratio and
// another, under the kernel's account, the time of an event.
func lineOf(workload string, ratio, cost harness.OverheadResult) results.OverheadLine {
	return results.OverheadLine{
		Schema: results.OverheadSchema, Workload: workload, Observer: "default",
		Ratio: ratio.Ratio, CI: ratio.CI, Pairs: ratio.Pairs, NoiseFloor: ratio.NoiseFloor,
		NsPerEvent: cost.NsPerEvent, Loss: ratio.Loss,
	}
}

func eventText(ns map[string]float64) string {
	return fmt.Sprintf("switch %.0f, waking %.0f", ns["sched_switch"]+ns["sched_switch_three"], ns["sched_waking"])
}
