// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"slices"
	"time"
)

// usualBlame is what it is usual to answer for among those who want the same thing.
type usualBlame struct {
	ix     *index
	book   *book
	sorted map[accountKey][]time.Duration // by group and how; the culprit is left out
}

func newUsualBlame(ix *index, b *book) *usualBlame {
	return &usualBlame{ix: ix, book: b, sorted: make(map[accountKey][]time.Duration)}
}

// of returns the median of what the others answer for who want, or have, what the
// culprit of key has; of two middle ones the lower. It is 0 if there are no others.
//
// The lower one makes two threads comparable with each other, and lets two culprits
// out of four threads be told apart from the rest.
func (u *usualBlame) of(key accountKey) time.Duration {
	return medianOfOthers(u.all(key.group, key.how), u.book.blameOf(key))
}

// medianOfOthers is the median of all but one, which is among them; all are in order.
func medianOfOthers(all []time.Duration, one time.Duration) time.Duration {
	if len(all) < 2 {
		return 0
	}
	own, _ := slices.BinarySearch(all, one)
	middle := (len(all) - 2) / 2
	if middle >= own {
		middle++
	}
	return all[middle]
}

// all lists what each who wants, or has, a thing answers for, in order.
func (u *usualBlame) all(group resourceNo, how how) []time.Duration {
	key := accountKey{nobody, group, how}
	if list, ok := u.sorted[key]; ok {
		return list
	}
	taken := make(map[threadNo]bool)
	for _, member := range u.ix.membersOf(group) {
		u.ix.objects[member].mark(taken)
	}
	for other := range u.book.accounts {
		if other.group == group && other.how == how {
			taken[other.culprit] = true
		}
	}
	list := make([]time.Duration, 0, len(taken))
	for thread := range taken {
		list = append(list, u.book.blameOf(accountKey{thread, group, how}))
	}
	slices.Sort(list)
	u.sorted[key] = list
	return list
}

// mark notes who waits for o and who lets it go.
func (o *object) mark(threads map[threadNo]bool) {
	for _, thread := range o.waiters {
		threads[thread] = true
	}
	for _, r := range o.releases {
		threads[r.thread] = true
	}
}

func (b *book) blameOf(key accountKey) time.Duration {
	if a := b.accounts[key]; a != nil {
		return a.blame
	}
	return 0
}
