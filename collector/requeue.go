// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"slices"
	"sort"
	"time"
)

// A thread that sleeps on one futex may be moved to another (FUTEX_CMP_REQUEUE): whoever
// signals a condition wakes one waiter, and the others wait for the lock from then on. The
// one who wakes such a thread does so at the other address, which tells to where it was
// moved. When, is told by the last wake-up at the first address.

// splitRequeued makes two waits of each whose thread was moved.
func (l *eventLog) splitRequeued() {
	wakes := l.wakesOfRequeued()
	if len(wakes) == 0 {
		return
	}
	var moved []loggedWait
	for _, chunk := range l.waits {
		for i := range chunk {
			w := &chunk[i]
			if w.requeued == notRequeued {
				continue
			}
			if by, ok := lastWake(wakes[w.resource], w.begin, w.woken); ok {
				rest := *w
				rest.begin, rest.resource, rest.requeued, rest.sameObject = by.woken, w.requeued, notRequeued, true
				moved = append(moved, rest)
				w.woken, w.ran, w.occupant, w.occupied = by.woken, by.woken, l.nobody(), 0
				w.waker, w.wakerKind, w.wakerStack, w.sameObject = by.waker, by.wakerKind, by.wakerStack, true
			}
		}
	}
	for _, w := range moved {
		l.waits.add(w)
	}
}

// wakesOfRequeued lists the wake-ups of each futex that threads were moved from, in order
// of time: those by a call on that very futex.
func (l *eventLog) wakesOfRequeued() map[int32][]loggedWait {
	from := make(map[int32][]loggedWait)
	for _, chunk := range l.waits {
		for i := range chunk {
			if chunk[i].requeued != notRequeued {
				from[chunk[i].resource] = nil
			}
		}
	}
	if len(from) == 0 {
		return nil
	}
	for _, chunk := range l.waits {
		for _, w := range chunk {
			if list, ok := from[w.resource]; ok && w.sameObject && w.woken != 0 {
				from[w.resource] = append(list, w)
			}
		}
	}
	for _, list := range from {
		slices.SortFunc(list, func(a, b loggedWait) int { return int(min(max(a.woken-b.woken, -1), 1)) })
	}
	return from
}

// lastWake returns the last of a list of wake-ups between two instants.
func lastWake(list []loggedWait, after, before time.Duration) (loggedWait, bool) {
	n := sort.Search(len(list), func(i int) bool { return list[i].woken >= before })
	if n == 0 || list[n-1].woken <= after {
		return loggedWait{}, false
	}
	return list[n-1], true
}
