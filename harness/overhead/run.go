// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"context"
	"errors"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/load"
)

// sample is what one run gave.
type sample struct {
	took load.Took
	used Used // while the work that counts was done
	span time.Duration
	loss contention.Loss
}

// observerError says that it was the observer that failed, and not the load.
type observerError struct{ error }

func (e *observerError) Unwrap() error { return e.error }

// isObservers reports whether an error is the observer's: a load that takes too long is
// held up by it.
func isObservers(err error) bool {
	var failed *observerError
	return errors.As(err, &failed) || errors.Is(err, errTooLong)
}

// run has the work done once. When it returns, nobody watches and nothing is done.
func (m *measurement) run(ctx context.Context, s *subject, account bool) (sample, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, m.limit, errTooLong)
	defer cancel()
	run, err := m.source.Start(ctx, m.units)
	if err != nil {
		return sample{}, err
	}
	defer run.Close()
	watch, err := s.Watch(ctx, run.PID(), account)
	if err != nil {
		return sample{}, &observerError{err}
	}
	defer watch.Close()
	got, err := observed(ctx, run, watch)
	if err != nil {
		return sample{}, err
	}
	if err := watch.Close(); err != nil {
		return sample{}, &observerError{err}
	}
	m.runs++
	if m.Progress != nil {
		m.Progress(m.runs, max(m.runs, m.total()))
	}
	return got, nil
}

// total is how many runs there will be, as far as is known.
func (m *measurement) total() int {
	live, accounted := 0, 0
	for _, s := range m.subjects {
		if s.out == nil {
			live++
			if s.Accounted {
				accounted++
			}
		}
	}
	return 1 + m.blocks()*2*(1+live) + accounted
}

// observed has the work done under a watch.
func observed(ctx context.Context, run load.Run, watch Watch) (sample, error) {
	var before Used
	var begin time.Time
	var unread error
	took, err := run.Do(ctx, func() {
		before, unread = watch.Used()
		begin = time.Now()
	})
	if err != nil {
		return sample{}, err
	}
	span := time.Since(begin)
	after, err := watch.Used()
	if unread != nil {
		err = unread
	}
	if err != nil {
		return sample{}, &observerError{err}
	}
	loss, err := watch.Finish(ctx)
	if err != nil {
		return sample{}, &observerError{err}
	}
	return sample{took: took, used: after.since(before), span: span, loss: loss}, nil
}

// since is what was used after earlier. Of memory it is all there was.
func (u Used) since(earlier Used) Used {
	u.CPU -= earlier.CPU
	programs := make(map[string]Program, len(u.Programs))
	for name, p := range u.Programs {
		was := earlier.Programs[name]
		programs[name] = Program{Runs: p.Runs - was.Runs, Time: p.Time - was.Time}
	}
	u.Programs = programs
	return u
}
