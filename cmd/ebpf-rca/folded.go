// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/os2026/ebpf-rca/contention"
)

// blamedStack is one stack of a culprit with the blame that falls on it.
type blamedStack struct {
	finding contention.Finding
	frames  contention.Stack
	blame   time.Duration
}

// blamedStacks divides each accusation's blame among the culprit's stacks, by the
// time each stood for. Release stacks are evidence and carry none, but where they
// are all there is.
func blamedStacks(d diagnosis) []blamedStack {
	var out []blamedStack
	for _, f := range d.Findings {
		if !f.Class.Accuses() {
			continue
		}
		held := slices.DeleteFunc(slices.Clone(f.Stacks), func(s contention.WeightedStack) bool {
			return s.Role == contention.ReleaseStack
		})
		if len(held) == 0 {
			held = f.Stacks
		}
		var sum time.Duration
		for _, s := range held {
			sum += s.Weight
		}
		for _, s := range held {
			share := 1 / float64(len(held))
			if sum > 0 {
				share = float64(s.Weight) / float64(sum)
			}
			out = append(out, blamedStack{f, s.Frames, time.Duration(share * float64(f.Blame))})
		}
	}
	return out
}

// writeFolded writes one line a stack, outermost function first, with its blame in
// microseconds.
func writeFolded(w io.Writer, d diagnosis) error {
	sums := make(map[string]time.Duration)
	for _, s := range blamedStacks(d) {
		names := []string{foldable(culpritName(s.finding))}
		for i := len(s.frames) - 1; i >= 0; i-- {
			names = append(names, foldable(frameName(s.frames[i])))
		}
		sums[strings.Join(names, ";")] += s.blame
	}
	lines := make([]string, 0, len(sums))
	for line := range sums {
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	for _, line := range lines {
		if _, err := fmt.Fprintf(w, "%s %d\n", line, sums[line].Microseconds()); err != nil {
			return err
		}
	}
	return nil
}

// foldable is a name that cannot be taken for the end of one or of a line.
func foldable(name string) string { return strings.ReplaceAll(printable(name), ";", ":") }

// writePprof writes the blame as a compressed profile, by the stacks of the
// culprits, with class, resource and thread as labels.
func writePprof(w io.Writer, d diagnosis) error {
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: "blame", Unit: "nanoseconds"}},
		DurationNanos: int64(d.Window),
	}
	b := pprofBuilder{p, make(map[string]*profile.Function), make(map[contention.Frame]*profile.Location)}
	for _, s := range blamedStacks(d) {
		sample := &profile.Sample{
			Value: []int64{int64(s.blame)},
			Label: map[string][]string{
				"class":    {string(s.finding.Class)},
				"resource": {resourceName(s.finding.Resource)},
				"thread":   {culpritName(s.finding)},
			},
		}
		for _, f := range s.frames {
			sample.Location = append(sample.Location, b.location(f))
		}
		p.Sample = append(p.Sample, sample)
	}
	if err := p.CheckValid(); err != nil {
		return err
	}
	return p.Write(w)
}

type pprofBuilder struct {
	profile   *profile.Profile
	functions map[string]*profile.Function
	locations map[contention.Frame]*profile.Location
}

func (b pprofBuilder) location(f contention.Frame) *profile.Location {
	if l, ok := b.locations[f]; ok {
		return l
	}
	l := &profile.Location{
		ID:      uint64(len(b.profile.Location) + 1),
		Address: uint64(f.Address),
		Line:    []profile.Line{{Function: b.function(f), Line: int64(f.Line)}},
	}
	b.locations[f] = l
	b.profile.Location = append(b.profile.Location, l)
	return l
}

func (b pprofBuilder) function(f contention.Frame) *profile.Function {
	name := frameName(f)
	if known, ok := b.functions[name]; ok {
		return known
	}
	known := &profile.Function{ID: uint64(len(b.profile.Function) + 1), Name: name, SystemName: name, Filename: f.File}
	b.functions[name] = known
	b.profile.Function = append(b.profile.Function, known)
	return known
}
