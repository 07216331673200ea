// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestWholeIntervals(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 3, 4, 5)
	for i, at := range []time.Duration{10, 20, 20, 40} {
		s.wait(2+i, mutex(1), 0, at*ms, by(1+i%2))
	}
	ix := newIndex(&s.Trace)
	for _, test := range []struct{ from, to, first, last int }{
		{0, 5, 1, -1},
		{11, 12, 2, 0},
		{0, 10, 1, 0},
		{0, 20, 1, 2},
		{10, 19, 1, 0},
		{10, 20, 1, 2},
		{11, 20, 2, 2},
		{11, 30, 2, 2},
		{20, 39, 2, 2},
		{20, 40, 2, 3},
		{0, 50, 1, 3},
		{40, 50, 4, 3},
		{41, 50, 5, 3},
	} {
		part := span{origin + time.Duration(test.from)*ms, origin + time.Duration(test.to)*ms}
		first, last := ix.wholeIntervals(ix.resource(mutex(1)), part)
		assert.Equal(t, []int{test.first, test.last}, []int{first, last}, "%d to %d", test.from, test.to)
	}
}

// explainEach is the rule as it is told: each wait is followed by itself, from release to
// release.
func explainEach(ix *index, spared map[threadNo]bool) *book {
	b := newBook(ix)
	e := explanation{index: ix, ledger: b, stuck: deadlocks(ix), spared: spared}
	for i := range ix.waits {
		w := &ix.waits[i]
		if ix.objects[w.resource].nature == choice {
			continue
		}
		v := victim{thread: w.thread, resource: w.resource, serial: w.serial, stack: w.stack, open: w.open}
		for s := w.within(ix.window); s.length() > 0; {
			part := s
			if later := ix.after(w.resource, s.from); len(later) > 0 && ix.objects[w.resource].nature.byThreads() {
				part.to = min(s.to, later[0].at)
			}
			e.explainAlone(v, int32(i), part)
			s.from = part.to
		}
	}
	for _, s := range ix.starvations(spared) {
		e.explainStarvation(&s)
	}
	return b
}

// content is all that an account says, whatever the order in which it was entered.
type content struct {
	blame, idle time.Duration
	victims     map[threadNo]loss
	hops        map[hop]stretch
	members     map[resourceNo]time.Duration
	evidence    [evidences]time.Duration
	spans       spans
}

type loss struct {
	time, idle time.Duration
	waits      int
	longest    span
	stack      contention.StackID
}

func contents[K comparable](accounts map[K]*account) map[K]content {
	out := make(map[K]content)
	for key, a := range accounts {
		c := content{
			a.blame, a.idle, make(map[threadNo]loss), valuesOf(&a.hops), valuesOf(&a.members), a.evidence, a.spans.union(),
		}
		for thread, h := range valuesOf(&a.victims) {
			c.victims[thread] = loss{h.time, h.idle, h.waits.count(), h.longest, h.stack}
		}
		out[key] = c
	}
	return out
}

func valuesOf[K comparable, V any](t *tally[K, V]) map[K]V {
	out := make(map[K]V)
	for _, e := range t.entries {
		out[e.key] = e.value
	}
	return out
}

func TestAQueueChangesNothing(t *testing.T) {
	var shared int // parts of several victims
	check := func(t *testing.T, _ *rand.Rand, trace *contention.Trace) {
		ix := newIndex(trace)
		spared := fairOccupants(ix, Options{MinShare: 1e-9}.worth(ix.window))
		for _, spared := range []map[threadNo]bool{nil, spared} {
			want, got := explainEach(ix, spared), explainAll(ix, spared)
			require.Equal(t, contents(want.accounts), contents(got.accounts))
			require.Equal(t, contents(want.external), contents(got.external))
			require.Equal(t, want.totals.Open, got.totals.Open)
		}
		parts := &parts{}
		explainInto(ix, parts, nil)
		shared += parts.shared
	}
	forTraces(t, check)
	random := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		check(t, random, crowdOf(2+random.IntN(20))(random.IntN(300)))
		check(t, random, crush(random))
	}
	require.Greater(t, shared, 10000)
}

// crush is what plausible is, with all threads at few things that come and go often: who
// waits long meets itself on the way, as an occupant or further along a chain.
func crush(random *rand.Rand) *contention.Trace {
	t := plausible(random)
	for i := range t.Waits {
		w := &t.Waits[i]
		w.Resource = []contention.Resource{mutex(1), futex(2), data(3)}[random.IntN(3)]
		if random.IntN(4) > 0 {
			w.Waker.Kind = contention.WokenByThread
		}
	}
	return t
}

// parts counts what is entered.
type parts struct{ leaves, shared int }

func (p *parts) enter(leaves []leaf, victims []victim) {
	p.leaves += len(leaves)
	if len(victims) > 1 {
		p.shared++
	}
}

func TestWhatManyWaitForIsFollowedOnce(t *testing.T) {
	const threads, waits = 100, 2000
	ix := newIndex(crowdOf(threads)(waits))
	parts := &parts{}
	explainInto(ix, parts, nil)
	// Two for each wait, as a holder wants a CPU and then works; two more for the
	// interval in which the wait begins.
	assert.LessOrEqual(t, parts.leaves, 4*waits)
}

func TestWhoIsMetOnTheWayIsExplainedByItself(t *testing.T) {
	// 2, 3 and 4 wait for a lock that 1 has, and then 5. 5 is itself held up by 3, over
	// another lock: to 3 that is the doing of 5.
	s := newScene(1000*ms, 1, 2, 3, 4, 5)
	s.wait(2, mutex(1), 0, 300*ms, by(5))
	s.wait(3, mutex(1), 0, 310*ms, by(5))
	s.wait(4, mutex(1), 0, 100*ms, by(1))
	s.wait(4, mutex(1), 100*ms, 320*ms, by(5))
	s.wait(5, mutex(2), 150*ms, 250*ms, by(3))
	b := explainAll(newIndex(&s.Trace), nil)
	got := make(map[accountKey]map[threadNo]time.Duration)
	for key, a := range b.accounts {
		got[key] = make(map[threadNo]time.Duration)
		for thread, h := range valuesOf(&a.victims) {
			got[key][thread] = h.time
		}
	}
	no := func(tid int) threadNo { return b.ix.threadNos[id(tid)] }
	first, second := b.ix.resource(mutex(1)), b.ix.resource(mutex(2))
	assert.Equal(t, map[accountKey]map[threadNo]time.Duration{
		{no(1), first, byHolding}:  {no(2): 100 * ms, no(3): 100 * ms, no(4): 100 * ms},
		{no(5), first, byHolding}:  {no(2): 100 * ms, no(3): 210 * ms, no(4): 120 * ms},
		{no(3), second, byHolding}: {no(2): 100 * ms, no(4): 100 * ms, no(5): 100 * ms},
	}, got)
}
