// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
)

func TestMeasure(t *testing.T) {
	l := &fakeLoad{}
	var made []*fakeWatch
	total := 0
	lines, err := Measure(t.Context(), Options{
		Load: l, Observers: []Observer{l.observer(Empty, 1.1, &made), {Name: None}, l.observer(Default, 1.25, &made)},
		Pairs: 3, Duration: 2 * time.Millisecond,
		Progress: func(done, of int) { assert.LessOrEqual(t, done, of); total = of },
	})
	require.NoError(t, err)

	require.Len(t, l.done, 1+2*8+2, "to calibrate, two blocks, and with account")
	assert.Equal(t, len(l.done), total)
	assert.True(t, isPalindrome(l.done[1:9]), l.done)
	assert.True(t, isPalindrome(l.done[9:17]), l.done)
	assert.Equal(t, None, l.done[1])
	assert.Equal(t, []string{Empty, Default}, l.done[17:])
	assert.Equal(t, uint64(1000), l.units[0])
	for _, units := range l.units[1:] {
		assert.Equal(t, uint64(2000), units, "2 ms of it")
	}
	assert.Zero(t, l.open)
	assert.Zero(t, l.runs)
	for i, w := range made {
		assert.Equal(t, 2, w.closed)
		assert.Equal(t, i >= 8, w.account, "account comes last")
	}

	require.Len(t, lines, 3)
	none, empty, ours := lines[0], lines[1], lines[2]
	assert.Equal(t, results.OverheadLine{
		Schema: results.OverheadSchema, Workload: "fake", Observer: None, Ratio: 1, CI: [2]float64{1, 1}, Pairs: 4, NoiseFloor: [2]float64{1, 1},
		Throughput: &results.OverheadRatio{Ratio: 1, CI: [2]float64{1, 1}}, P99: &results.OverheadRatio{Ratio: 1, CI: [2]float64{1, 1}},
	}, none)
	assert.InDelta(t, 1.1, empty.Ratio, 1e-9)
	assert.Nil(t, empty.TimesEmpty, "of itself it says nothing")
	assert.Equal(t, Default, ours.Observer)
	assert.InDelta(t, 1.25, ours.Ratio, 1e-9)
	assert.InDelta(t, 2.5, ours.TimesEmpty.Ratio, 1e-9)
	assert.InDelta(t, 2.5, ours.TimesEmpty.CI[1], 1e-9)
	assert.Equal(t, map[string]float64{"switch": 350}, ours.NsPerEvent, "the other did not run")
	assert.Positive(t, ours.EventsPerSecond)
	assert.InDelta(t, ours.EventsPerSecond*350e-9, ours.ProgramShare, 1e-9)
	assert.Positive(t, ours.CPUShare)
	assert.Equal(t, [2]uint64{7, 9}, [2]uint64{ours.RSSBytes, ours.MapBytes})
	assert.Equal(t, contention.Loss{RingFull: 8}, ours.Loss, "of four runs")
}

// Each block has an order of its own, and the next measurement the same ones.
func TestOrderIsDrawn(t *testing.T) {
	l := &fakeLoad{}
	o := Options{Load: l, Observers: []Observer{l.observer("a", 1, nil), l.observer("b", 1, nil), l.observer("c", 1, nil)}, Pairs: 12}
	_, err := Measure(t.Context(), o)
	require.NoError(t, err)
	again := &fakeLoad{}
	o.Load = again
	o.Observers = []Observer{again.observer("a", 1, nil), again.observer("b", 1, nil), again.observer("c", 1, nil)}
	_, err = Measure(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, l.done, again.done)
	orders := map[string]bool{}
	for n := range 6 {
		orders[fmt.Sprint(l.done[1+10*n:1+10*n+10])] = true
	}
	assert.Greater(t, len(orders), 1)
}

func TestMeasureWithWhatIsAbsent(t *testing.T) {
	l := &fakeLoad{}
	lines, err := Measure(t.Context(), Options{Load: l, Observers: []Observer{missing("peer:a"), l.observer(Default, 1.25, nil)}, Pairs: 4})
	require.NoError(t, err)
	require.Len(t, lines, 3)
	assert.Equal(t, results.OverheadLine{Schema: results.OverheadSchema, Workload: "fake", Observer: "peer:a", Absent: "absent: peer:a is not installed"}, lines[1])
	assert.Equal(t, 4, lines[2].Pairs)
	assert.Nil(t, lines[2].TimesEmpty)

	lines, err = Measure(t.Context(), Options{Load: &fakeLoad{absent: fmt.Errorf("%w: no program", harness.ErrAbsent)}})
	require.NoError(t, err)
	assert.Equal(t, []results.OverheadLine{{Schema: results.OverheadSchema, Workload: "fake", Observer: None, Absent: "absent: no program"}}, lines)
}

// An observer that breaks does not take the others with it.
func TestMeasureWithAnObserverThatFails(t *testing.T) {
	l := &fakeLoad{}
	broken := l.observer("peer:a", 1, nil)
	watch := broken.Watch
	asked := 0
	broken.Watch = func(ctx context.Context, pid int, account bool) (Watch, error) {
		w, err := watch(ctx, pid, account)
		if asked++; asked == 4 {
			w.(*fakeWatch).useless = errors.New("it has ended")
		}
		return w, err
	}
	lines, err := Measure(t.Context(), Options{Load: l, Observers: []Observer{broken, l.observer(Default, 1.25, nil)}, Pairs: 6})
	require.EqualError(t, err, "measure fake: peer:a: it has ended")
	assert.Equal(t, 4, asked, "it is not asked again")
	require.Len(t, lines, 3)
	assert.Equal(t, "it has ended", lines[1].Absent)
	assert.Equal(t, 6, lines[2].Pairs)
}

// Account takes more privilege than the rest, which stands without.
func TestMeasureWithoutAccount(t *testing.T) {
	for name, why := range map[string]error{"forbidden": os.ErrPermission, "broken": errors.New("no statistics")} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLoad{}
			unaccounted := l.observer(Default, 1.25, nil)
			watch := unaccounted.Watch
			unaccounted.Watch = func(ctx context.Context, pid int, account bool) (Watch, error) {
				if account {
					return nil, why
				}
				return watch(ctx, pid, account)
			}
			lines, err := Measure(t.Context(), Options{Load: l, Observers: []Observer{unaccounted, l.observer(Empty, 1.1, nil)}, Pairs: 2})
			if name == "forbidden" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, "measure fake: default: no statistics")
			}
			require.Len(t, lines, 3)
			assert.InDelta(t, 1.25, lines[1].Ratio, 1e-9)
			assert.Empty(t, lines[1].NsPerEvent)
			assert.NotEmpty(t, lines[2].NsPerEvent, "the next is asked all the same")
		})
	}
}

func TestMeasureWithALoadThatFails(t *testing.T) {
	failure := errors.New("no memory")
	l := &fakeLoad{fail: failure}
	lines, err := Measure(t.Context(), Options{Load: l})
	require.ErrorIs(t, err, failure)
	assert.Empty(t, lines)
	assert.Zero(t, l.open)
	assert.Zero(t, l.runs)
	_, err = Measure(t.Context(), Options{Load: &fakeLoad{absent: failure}})
	require.ErrorIs(t, err, failure)
}

// What was whole when it was stopped is told.
func TestMeasureThatIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := &fakeLoad{}
	l.after = func(runs int) {
		if runs == 10 { // in the second block
			cancel()
		}
	}
	lines, err := Measure(ctx, Options{Load: l, Observers: []Observer{l.observer(Default, 1.25, nil)}, Pairs: 6})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, lines, 2)
	assert.Equal(t, 2, lines[1].Pairs)
	assert.Empty(t, lines[1].NsPerEvent)
	assert.Zero(t, l.open)
	assert.Zero(t, l.runs)
	assert.Len(t, l.done, 10, "nothing is done after that")
}

// A load that an observer holds up too long speaks against the observer.
func TestObserverThatHoldsUp(t *testing.T) {
	l := &fakeLoad{}
	slow := l.observer("peer:slow", 1, nil)
	slow.Watch = func(context.Context, int, bool) (Watch, error) { return nil, errTooLong }
	lines, err := Measure(t.Context(), Options{Load: l, Observers: []Observer{slow}, Pairs: 2})
	require.ErrorIs(t, err, errTooLong)
	require.Len(t, lines, 2)
	assert.Equal(t, "it takes too long", lines[1].Absent)
}
