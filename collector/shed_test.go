// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

const period = bpf.ShedPeriod

// shedding is a shedder of 1000 waits a second, in a world of its own.
type shedding struct {
	*shedder
	t    *testing.T
	time time.Duration
	set  []uint64 // what the kernel was told, in order
	err  error
}

func newShedding(t *testing.T) *shedding {
	s := &shedding{t: t, time: 100 * period}
	s.shedder = newShedder(s, func() time.Duration { return s.time }, 1000)
	return s
}

func (s *shedding) Put(_, value any) error {
	s.set = append(s.set, value.(uint64))
	return s.err
}

// live has some periods pass with so many waits told in each.
func (s *shedding) live(periods, waits int) {
	for range periods {
		s.time += period
		s.counted += waits
		require.NoError(s.t, s.adjust())
	}
}

func TestShedKeepsToTheBudget(t *testing.T) {
	s := newShedding(t)
	s.live(10, 67) // 998 a second
	assert.Empty(t, s.set)
	s.live(2, 268) // four times as many
	require.Len(t, s.set, 1)
	assert.InDelta(t, float64(period/4), float64(s.set[0]), float64(period/100))
	s.live(10, 67) // what is told of them then
	assert.Len(t, s.set, 1, "and that fits")
	s.live(2, 17) // the storm is over
	assert.InDelta(t, float64(period/2), float64(s.set[1]), float64(period/50), "which is believed by degrees")
	s.live(2, 33)
	assert.Zero(t, s.set[2], "all is told again")
	s.live(10, 67)
	assert.Len(t, s.set, 3)
}

func TestShedTellsSomeInAnyStorm(t *testing.T) {
	s := newShedding(t)
	s.live(4, 1_000_000)
	assert.Equal(t, []uint64{uint64(leastTold)}, s.set)
}

func TestShedWithoutABudget(t *testing.T) {
	s := newShedding(t)
	s.budget = 0
	s.live(4, 1_000_000)
	assert.Empty(t, s.set)
	assert.Equal(t, float64(DefaultBudget), Options{}.budget())
	assert.Zero(t, Options{Budget: -1}.budget())
}

func TestShedSaysWhatFailed(t *testing.T) {
	s := newShedding(t)
	s.err = errors.New("no")
	s.time += 2 * period
	s.counted = 1_000_000
	assert.ErrorIs(t, s.adjust(), s.err)
}

func TestShedSpans(t *testing.T) {
	s := newShedding(t)
	begin := s.time
	whole := contention.Window{Begin: begin - period, End: begin}
	assert.Empty(t, s.spans(whole))

	s.live(2, 268) // a quarter from the beginning of the third period on
	quarter := time.Duration(s.set[0])
	s.time += period + period/8
	s.counted, s.since = 0, s.time-2*period
	require.NoError(t, s.adjust()) // half, in the first quarter of the fourth
	half := time.Duration(s.set[1])
	require.Equal(t, 2*quarter, half)

	first := contention.Window{Begin: begin + period, End: begin + 4*period + period/16}
	assert.Equal(t, []contention.Window{
		{Begin: begin + 2*period + quarter, End: begin + 3*period},
		{Begin: begin + 3*period + quarter, End: begin + 4*period}, // in doubt less was told
	}, s.spans(first))
	assert.Equal(t, []contention.Window{
		{Begin: begin + 4*period + half, End: begin + 5*period},
		{Begin: begin + 5*period + half, End: begin + 6*period},
	}, s.spans(contention.Window{Begin: first.End, End: begin + 6*period}))
}
