// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// A thread that sleeps on one futex may be moved to another (FUTEX_CMP_REQUEUE): whoever
// signals a condition wakes one waiter, and the others wait for the lock from then on. The
// one who wakes such a thread does so at the other address, which tells to where it was
// moved. When, is told by the last wake-up at the first address.

// futexWakes are the wake-ups of each futex that threads were moved from, in order of time:
// those by a call on that very futex.
type futexWakes map[int32][]futexWake

type futexWake struct {
	at         time.Duration
	waker      int32
	wakerKind  contention.WakerKind
	wakerStack int32
}

// split makes two waits of one whose thread was moved: what is left, and the rest that it
// waited where it was moved to.
func (wakes futexWakes) split(w *waitKind, t *waitTimes) (rest waitKind, restTimes waitTimes, moved bool) {
	if w.requeued == notRequeued {
		return rest, restTimes, false
	}
	by, ok := lastWake(wakes[w.resource], t.begin, t.woken)
	if !ok {
		return rest, restTimes, false
	}
	rest, restTimes = *w, *t
	rest.resource, rest.requeued, rest.sameObject = w.requeued, notRequeued, true
	restTimes.begin = by.at
	w.waker, w.wakerKind, w.wakerStack, w.sameObject = by.waker, by.wakerKind, by.wakerStack, true
	t.woken, t.ran, t.occupant, t.occupied = by.at, by.at, noThread, 0
	return rest, restTimes, true
}

func (l *eventLog) wakesOfRequeued() futexWakes {
	wakes := make(futexWakes)
	for _, kind := range l.kinds.list {
		if kind.requeued != notRequeued {
			wakes[kind.resource] = nil
		}
	}
	if len(wakes) == 0 {
		return nil
	}
	l.waits.each(func(_ int, number int32, t waitTimes) {
		w := &l.kinds.list[number]
		if list, ok := wakes[w.resource]; ok && w.sameObject && t.woken != 0 {
			wakes[w.resource] = append(list, futexWake{t.woken, w.waker, w.wakerKind, w.wakerStack})
		}
	})
	for _, list := range wakes {
		slices.SortFunc(list, func(a, b futexWake) int { return cmp.Compare(a.at, b.at) })
	}
	return wakes
}

// lastWake returns the last of a list of wake-ups between two instants.
func lastWake(list []futexWake, after, before time.Duration) (futexWake, bool) {
	n := sort.Search(len(list), func(i int) bool { return list[i].at >= before })
	if n == 0 || list[n-1].at <= after {
		return futexWake{}, false
	}
	return list[n-1], true
}
