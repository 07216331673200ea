// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/harness/load"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeLoad takes a µs a unit, of which a watch makes more.
type fakeLoad struct {
	absent, fail error
	done         []string // who watched each run
	units        []uint64
	watched      *fakeWatch
	open, runs   int // that are not closed
	after        func(runs int)
}

func (l *fakeLoad) Name() string { return "fake" }

func (l *fakeLoad) Open(context.Context) (load.Source, error) {
	if l.absent != nil {
		return nil, l.absent
	}
	l.open++
	return l, nil
}

func (l *fakeLoad) Few() uint64  { return 1000 }
func (l *fakeLoad) Close() error { l.open--; return nil }

func (l *fakeLoad) Start(_ context.Context, units uint64) (load.Run, error) {
	l.units = append(l.units, units)
	l.runs++
	return &fakeRun{l, units}, nil
}

type fakeRun struct {
	*fakeLoad
	size uint64
}

func (r *fakeRun) PID() int { return os.Getpid() }
func (r *fakeRun) Close()   { r.runs-- }

func (r *fakeRun) Do(ctx context.Context, counted func()) (load.Took, error) {
	if r.fail != nil {
		return load.Took{}, r.fail
	}
	counted()
	name, factor := None, 1.0
	if w := r.watched; w != nil {
		name, factor = w.name, w.factor
		w.used.CPU += 10 * time.Millisecond
		w.used.Programs = map[string]Program{"switch": {Runs: w.used.Programs["switch"].Runs + 100, Time: w.used.Programs["switch"].Time + 35*time.Microsecond}, "idle": {}}
	}
	r.done = append(r.done, name)
	if r.after != nil {
		r.after(len(r.done))
	}
	if ctx.Err() != nil {
		return load.Took{}, context.Cause(ctx)
	}
	wall := time.Duration(r.size) * time.Microsecond
	return load.Took{CPU: time.Duration(float64(wall) * factor), Wall: wall, P99: 10 * time.Microsecond}, nil
}

// fakeWatch makes the work take a factor longer.
type fakeWatch struct {
	load    *fakeLoad
	name    string
	factor  float64
	used    Used
	account bool
	closed  int
	useless error
}

// observer makes the watches of one name, and keeps them.
func (l *fakeLoad) observer(name string, factor float64, made *[]*fakeWatch) Observer {
	return Observer{Name: name, Accounted: true, Watch: func(_ context.Context, pid int, account bool) (Watch, error) {
		if pid != os.Getpid() {
			return nil, fmt.Errorf("process %d is another", pid)
		}
		w := &fakeWatch{load: l, name: name, factor: factor, account: account, used: Used{CPU: time.Hour, RSSBytes: 7, MapBytes: 9}}
		l.watched = w
		if made != nil {
			*made = append(*made, w)
		}
		return w, nil
	}}
}

func (w *fakeWatch) Used() (Used, error) { return w.used, w.useless }

func (w *fakeWatch) Finish(context.Context) (contention.Loss, error) {
	return contention.Loss{RingFull: 2}, nil
}

func (w *fakeWatch) Close() error {
	w.closed++
	w.load.watched = nil
	return nil
}

func missing(name string) Observer {
	return Observer{Name: name, Watch: func(context.Context, int, bool) (Watch, error) {
		return nil, fmt.Errorf("%w: %s is not installed", harness.ErrAbsent, name)
	}}
}

func isPalindrome(list []string) bool {
	back := slices.Clone(list)
	slices.Reverse(back)
	return slices.Equal(list, back)
}
