// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// simulation is a program of threads that take locks, each lock handed on in the
// order of asking. It keeps its own account of who had what when, which is the truth
// that an analysis of the trace is compared with.
type simulation struct {
	*scene
	holds map[contention.Resource][]tenure
	waits map[int][]tenure // by thread; the lock is what for
}

// tenure is a time in which a thread had a lock, or waited for it.
type tenure struct {
	span
	thread int
	lock   contention.Resource
}

// job is what one thread still has to do: it takes its locks in order, works, and
// lets them go the other way round.
type job struct {
	thread int
	locks  []contention.Resource
	think  time.Duration // before the first lock
	work   time.Duration // after each lock that it got
	taken  int
	since  time.Duration // asked for the next lock, or got the last one
}

// simulate runs random jobs of n threads on m locks until all are done. A thread
// asks for locks in the order of their addresses, so that no deadlock comes about.
func simulate(random *rand.Rand, kind contention.Kind, n, m, rounds int) *simulation {
	s := &simulation{newScene(0), make(map[contention.Resource][]tenure), make(map[int][]tenure)}
	type event struct {
		at     time.Duration
		job    *job
		serial int
	}
	var queue []event
	var serial int
	push := func(at time.Duration, j *job) {
		serial++
		queue = append(queue, event{at, j, serial})
		slices.SortFunc(queue, func(a, b event) int {
			if a.at != b.at {
				return int(a.at - b.at)
			}
			return a.serial - b.serial
		})
	}
	newJob := func(thread int) *job {
		j := &job{thread: thread, think: time.Duration(random.IntN(1000)), work: time.Duration(1 + random.IntN(2000))}
		for i := range m {
			if random.IntN(2) == 0 {
				j.locks = append(j.locks, contention.Resource{Kind: kind, Address: contention.Address(i + 1), PID: ours})
			}
		}
		return j
	}
	left := make(map[int]int)
	for thread := 1; thread <= n; thread++ {
		s.join(ours, thread)
		left[thread] = rounds
		j := newJob(thread)
		push(j.think, j)
	}
	owner := make(map[contention.Resource]*job)
	since := make(map[contention.Resource]time.Duration)
	waiting := make(map[contention.Resource][]*job)
	take := func(j *job, lock contention.Resource, at time.Duration) {
		owner[lock], since[lock] = j, at
		j.taken++
		push(at+j.work, j)
	}
	var now time.Duration
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		now = e.at
		j := e.job
		if j.taken < len(j.locks) {
			lock := j.locks[j.taken]
			if owner[lock] == nil {
				take(j, lock, now)
			} else {
				j.since = now
				waiting[lock] = append(waiting[lock], j)
			}
			continue
		}
		for i := len(j.locks) - 1; i >= 0; i-- {
			lock := j.locks[i]
			s.holds[lock] = append(s.holds[lock], tenure{span{since[lock], now}, j.thread, lock})
			owner[lock] = nil
			if len(waiting[lock]) > 0 {
				next := waiting[lock][0]
				waiting[lock] = waiting[lock][1:]
				if next.since < now {
					s.wait(next.thread, lock, next.since, now, by(j.thread))
					s.waits[next.thread] = append(s.waits[next.thread], tenure{span{next.since, now}, next.thread, lock})
				}
				take(next, lock, now)
			}
		}
		if left[j.thread]--; left[j.thread] > 0 {
			next := newJob(j.thread)
			push(now+next.think, next)
		}
	}
	s.Window.End = s.Window.Begin + now
	random.Shuffle(len(s.Waits), func(i, k int) { s.Waits[i], s.Waits[k] = s.Waits[k], s.Waits[i] })
	return s
}

// truth is what each thread answers for in the end: at any instant of a wait the one
// who has the lock, and if that one waits, the one who has what it waits for.
func (s *simulation) truth() blames {
	blame := blames{}
	for _, list := range s.waits {
		for _, w := range list {
			s.blame(blame, w.lock, w.span)
		}
	}
	return blame
}

func (s *simulation) blame(into blames, lock contention.Resource, during span) {
	for _, h := range s.holds[lock] {
		part := h.within(during)
		if part.length() == 0 {
			continue
		}
		own := part.length()
		for _, w := range s.waits[h.thread] {
			if waited := w.within(part); waited.length() > 0 {
				own -= waited.length()
				s.blame(into, w.lock, waited)
			}
		}
		if own > 0 {
			into[h.thread] += own
		}
	}
}

func TestAgreesWithASimulatedTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var waited time.Duration
	for i := range 300 {
		kind := contention.Mutex
		if i%3 == 0 {
			kind = contention.KernelMutex
		}
		s := simulate(random, kind, 2+random.IntN(6), 1+random.IntN(4), 1+random.IntN(12))
		got := s.analyze()
		assertConserved(t, got)
		require.Equal(t, s.truth(), charged(got), "program %d", i)
		require.Zero(t, got.Totals.External, "program %d", i)
		waited += got.Totals.WaitTime
	}
	require.Positive(t, waited)
}
