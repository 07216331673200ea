// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"slices"
	"time"
)

// usual is how accounts measure up usually among those who want the same thing.
type usual struct {
	ix      *index
	book    *book
	measure func(accountKey, *account) time.Duration
	sorted  map[accountKey][]time.Duration // by group and how; the culprit is left out
}

func newUsual(ix *index, b *book, measure func(accountKey, *account) time.Duration) *usual {
	return &usual{ix: ix, book: b, measure: measure, sorted: make(map[accountKey][]time.Duration)}
}

// blameOf measures an account by all that it is charged with.
func blameOf(_ accountKey, a *account) time.Duration { return a.blame }

// of returns the median measure of the others who want, or have, what the culprit of
// key has; of two middle ones the lower. It is 0 if there are no others.
//
// The lower one makes two threads comparable with each other, and lets two culprits
// out of four threads be told apart from the rest.
func (u *usual) of(key accountKey) time.Duration {
	return medianOfOthers(u.all(key.group, key.how), u.measured(key))
}

// upper is as of, and of two middle ones the higher.
func (u *usual) upper(key accountKey) time.Duration {
	all := u.all(key.group, key.how)
	return ofOthers(all, u.measured(key), (len(all)-1)/2)
}

// medianOfOthers is the median of all but one, which is among them; all are in order. Of
// two middle ones it is the lower.
func medianOfOthers(all []time.Duration, one time.Duration) time.Duration {
	return ofOthers(all, one, (len(all)-2)/2)
}

// ofOthers is what has a place among all but one, 0 if there are no others.
func ofOthers(all []time.Duration, one time.Duration, place int) time.Duration {
	if len(all) < 2 {
		return 0
	}
	if own, _ := slices.BinarySearch(all, one); place >= own {
		place++
	}
	return all[place]
}

// all lists the measures of all who want, or have, a thing, in order.
func (u *usual) all(group resourceNo, how how) []time.Duration {
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
		list = append(list, u.measured(accountKey{thread, group, how}))
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

// measured is 0 for who is charged with nothing.
func (u *usual) measured(key accountKey) time.Duration {
	if a := u.book.accounts[key]; a != nil {
		return u.measure(key, a)
	}
	return 0
}
