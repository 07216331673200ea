// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"sync"
	"time"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// DefaultBudget is how many waits a second are told before some are left out. To read as
// many takes this process about two hundredths of a CPU.
const DefaultBudget = 12_000

const (
	// leastTold is for how much of each period all waits are told, however many they are.
	leastTold = bpf.ShedPeriod / 16
	// enoughPeriods is over how many periods waits are counted before the share is changed.
	enoughPeriods = 2
	// growth bounds how much larger a share becomes at once: a storm comes back.
	growth = 2
)

// shedder keeps what is told of waits within a budget. Where there are more, all are told
// for a part of each period only; in the rest of it those that last are.
type shedder struct {
	control control
	clock   func() time.Duration
	budget  float64 // waits a second

	counted int           // waits that were told
	since   time.Duration // since when they are counted

	mu     sync.Mutex    // guards what follows
	now    time.Duration // how much of each period is told in full
	before time.Duration // and was before the first of the terms
	terms  []term        // in order, those that spans has not come to
}

// control sets for how many nanoseconds of each period all waits are told; 0 is for all.
type control interface {
	Put(key, value any) error
}

// term is from when on how much of each period was told in full.
type term struct {
	from, told time.Duration
}

func newShedder(told control, clock func() time.Duration, budget float64) *shedder {
	return &shedder{
		control: told, clock: clock, budget: budget,
		since: clock(), now: bpf.ShedPeriod, before: bpf.ShedPeriod,
	}
}

// note counts the waits in a record of the ring buffer.
func (s *shedder) note(record []byte) error {
	kind, err := eventType(record)
	if err != nil || kind != bpf.EventWaits {
		return err
	}
	n, err := countWaits(record)
	s.counted += n
	return err
}

// adjust sets the share of time that fits what has been told of late.
func (s *shedder) adjust() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	watched := now - s.since
	if s.budget == 0 || watched < enoughPeriods*bpf.ShedPeriod {
		return nil
	}
	told := s.now
	all := float64(s.counted) / watched.Seconds() * float64(bpf.ShedPeriod) / float64(told)
	s.counted, s.since = 0, now
	next := fit(told, s.budget/all)
	if next == told {
		return nil
	}
	value := uint64(next)
	if next == bpf.ShedPeriod {
		value = 0
	}
	if err := s.control.Put(uint32(0), value); err != nil {
		return fmt.Errorf("set how much is told of waits: %w", err)
	}
	from := now // in doubt less was told
	if next > told {
		from = s.clock()
	}
	s.now = next
	s.terms = append(s.terms, term{from, next})
	return nil
}

// fit is how much of a period is to be told where the share of it is to be that, and has
// been told of it. What is nearly right stays.
func fit(told time.Duration, share float64) time.Duration {
	next := leastTold
	if share < 1 {
		next = max(next, time.Duration(share*float64(bpf.ShedPeriod)))
	} else {
		next = bpf.ShedPeriod
	}
	next = min(next, growth*told)
	if near := told / 8; next < bpf.ShedPeriod && (next-told).Abs() < near {
		return told
	}
	return next
}

// spans are the parts of a window in which waits were left out, in order. Windows are asked
// for in order, too.
func (s *shedder) spans(w contention.Window) []contention.Window {
	s.mu.Lock()
	defer s.mu.Unlock()
	var spans []contention.Window
	for at := w.Begin - w.Begin%bpf.ShedPeriod; at < w.End; at += bpf.ShedPeriod {
		end := at + bpf.ShedPeriod
		span := contention.Window{Begin: max(at+s.leastUntil(end), w.Begin), End: min(end, w.End)}
		if span.Begin < span.End {
			spans = append(spans, span)
		}
	}
	return spans
}

// leastUntil is how much of a period was told under all terms that it saw, by when it
// ended. It drops those that a later period does not see.
func (s *shedder) leastUntil(end time.Duration) time.Duration {
	least := s.before
	for len(s.terms) > 0 && s.terms[0].from < end {
		s.before = s.terms[0].told
		least = min(least, s.before)
		s.terms = s.terms[1:]
	}
	return least
}
