// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"io"
	"time"

	"github.com/google/pprof/profile"

	"github.com/os2026/ebpf-rca/contention"
)

// WritePprof writes blame as a compressed profile that covers a span of time.
func WritePprof(w io.Writer, stacks []BlamedStack, span time.Duration) error {
	b := pprofBuilder{
		profile: &profile.Profile{
			SampleType:    []*profile.ValueType{{Type: "blame", Unit: "nanoseconds"}},
			DurationNanos: int64(span),
		},
		functions: make(map[string]*profile.Function),
		locations: make(map[contention.Frame]*profile.Location),
	}
	for _, s := range stacks {
		b.add(s)
	}
	if err := b.profile.CheckValid(); err != nil {
		return fmt.Errorf("make profile: %w", err)
	}
	if err := b.profile.Write(w); err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	return nil
}

type pprofBuilder struct {
	profile   *profile.Profile
	functions map[string]*profile.Function
	locations map[contention.Frame]*profile.Location
}

func (b pprofBuilder) add(s BlamedStack) {
	sample := &profile.Sample{Value: []int64{int64(s.Blame)}, Label: make(map[string][]string)}
	for name, value := range s.Labels {
		sample.Label[name] = []string{value}
	}
	for _, f := range s.Stack {
		sample.Location = append(sample.Location, b.location(f))
	}
	b.profile.Sample = append(b.profile.Sample, sample)
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
	name := f.Name()
	if known, ok := b.functions[name]; ok {
		return known
	}
	known := &profile.Function{ID: uint64(len(b.profile.Function) + 1), Name: name, SystemName: name, Filename: f.File}
	b.functions[name] = known
	b.profile.Function = append(b.profile.Function, known)
	return known
}
