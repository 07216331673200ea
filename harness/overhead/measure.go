// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/harness/load"
	"github.com/os2026/ebpf-rca/results"
)

const (
	defaultPairs    = 16
	defaultDuration = time.Second
)

// Options say what is measured.
type Options struct {
	Load      load.Load
	Observers []Observer
	// Pairs of an unobserved and an observed run for each observer, made even; 0 is 16.
	Pairs int
	// Duration is about what an unobserved run takes; 0 is a second.
	Duration time.Duration
	// Progress, if there is one, is told how many runs of all have been made.
	Progress func(done, total int)
}

// Measure returns a line for each observer, that of none first. One that cannot watch
// here has a line that says why. If it ends early, the lines tell of the blocks that were
// whole; the error tells what ended it, or which observers failed.
func Measure(ctx context.Context, o Options) ([]results.OverheadLine, error) {
	lines, err := measure(ctx, o)
	if err != nil {
		return lines, fmt.Errorf("measure %s: %w", o.Load.Name(), err)
	}
	return lines, nil
}

func measure(ctx context.Context, o Options) ([]results.OverheadLine, error) {
	source, err := o.Load.Open(ctx)
	if errors.Is(err, harness.ErrAbsent) {
		return []results.OverheadLine{absentLine(o.Load.Name(), None, err)}, nil
	}
	if err != nil {
		return nil, err
	}
	m := newMeasurement(o, source)
	err = m.all(ctx)
	lines, incomplete := m.lines()
	return lines, errors.Join(err, incomplete, source.Close())
}

type measurement struct {
	Options
	source   load.Source
	units    uint64 // of work, in each run
	limit    time.Duration
	runs     int
	subjects []*subject
}

func newMeasurement(o Options, source load.Source) *measurement {
	o.Pairs, o.Duration = cmp.Or(o.Pairs, defaultPairs), cmp.Or(o.Duration, defaultDuration)
	m := &measurement{Options: o, source: source, limit: time.Minute + mostSlowdown*o.Duration}
	m.subjects = append(m.subjects, &subject{Observer: Observer{Name: None, Watch: watchNot}})
	for _, observer := range o.Observers {
		if observer.Name != None {
			m.subjects = append(m.subjects, &subject{Observer: observer})
		}
	}
	return m
}

func watchNot(context.Context, int, bool) (Watch, error) { return nobody{}, nil }

// mostSlowdown is how much longer than unobserved a run may take.
const mostSlowdown = 50

var errTooLong = errors.New("it takes too long")

func (m *measurement) blocks() int { return (m.Pairs + 1) / 2 }

func (m *measurement) all(ctx context.Context) error {
	if err := m.calibrate(ctx); err != nil {
		return err
	}
	for n := range m.blocks() {
		if err := m.block(ctx, n); err != nil {
			return err
		}
	}
	for _, s := range m.subjects {
		if !s.Accounted || s.out != nil {
			continue
		}
		if err := m.account(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// calibrate finds how much work takes as long as a run is to take.
func (m *measurement) calibrate(ctx context.Context) error {
	m.units = m.source.Few()
	first, err := m.run(ctx, m.subjects[0], false)
	if err != nil {
		return err
	}
	m.units = max(1, uint64(float64(m.units)*float64(m.Duration)/float64(first.took.Wall)))
	return nil
}

// block has the work done unobserved, under each observer there and back, and unobserved.
func (m *measurement) block(ctx context.Context, n int) error {
	there := m.order(n)
	first, err := m.run(ctx, m.subjects[0], false)
	if err != nil {
		return err
	}
	samples := map[*subject][]sample{}
	for _, s := range slices.Concat(there, slices.Collect(reversed(there))) {
		got, err := m.try(ctx, s)
		if err != nil {
			return err
		}
		samples[s] = append(samples[s], got)
	}
	last, err := m.run(ctx, m.subjects[0], false)
	if err != nil {
		return err
	}
	for _, s := range there {
		if s.out == nil {
			s.add(samples[s][0], first)
			s.add(samples[s][1], last)
		}
	}
	return nil
}

func reversed[T any](list []T) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for _, v := range slices.Backward(list) {
			if !yield(v) {
				return
			}
		}
	}
}

// order is that of the observers in a block. It is the same each time they are measured.
func (m *measurement) order(n int) []*subject {
	var order []*subject
	for _, s := range m.subjects {
		if s.out == nil {
			order = append(order, s)
		}
	}
	random := rand.New(rand.NewPCG(4, uint64(n)))
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// try makes a run, or none if the observer is out. Where it is the observer that fails,
// it is out from then on, and the others go on.
func (m *measurement) try(ctx context.Context, s *subject) (sample, error) {
	if s.out != nil {
		return sample{}, nil
	}
	got, err := m.run(ctx, s, false)
	if s != m.subjects[0] && ctx.Err() == nil && isObservers(err) {
		s.out = err
		return sample{}, nil
	}
	return got, err
}

// account makes a run in which the kernel keeps account of what programs take. Without
// it, the other figures of the observer stand.
func (m *measurement) account(ctx context.Context, s *subject) error {
	got, err := m.run(ctx, s, true)
	if ctx.Err() == nil && isObservers(err) {
		s.unaccounted = err
		return nil
	}
	s.account = got
	return err
}
