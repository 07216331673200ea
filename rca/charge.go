// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// how a thread came to be charged.
type how int8

const (
	byHolding how = iota
	byProducing
	byOccupying // the CPU of the thread that held or produced
	byDeadlock
	byNobody // of the target is at fault, or the wait has not ended
)

// evidence is how a hop is known.
type evidence int8

const (
	byRelease evidence = iota
	byOwner
	byWaker
	byCPU
	byQuota
	evidences // how many there are
)

func (e evidence) public() contention.Evidence {
	return [evidences]contention.Evidence{
		contention.ByRelease, contention.ByOwner, contention.ByWaker, contention.ByCPU, contention.ByCPU,
	}[e]
}

func (r release) evidence() evidence {
	if r.certain {
		return byRelease
	}
	return byWaker
}

// victim is whose wait is being explained.
type victim struct {
	thread   threadNo
	resource resourceNo
	serial   int32
	stack    contention.StackID
	open     bool
	// forgotten: the wait is open though it should have ended.
	forgotten bool
	last      int32 // in a queue: the last interval that it waits throughout
}

// accountKey is what charges are added up by.
type accountKey struct {
	culprit threadNo
	group   resourceNo // of the last resource of the chain, which the culprit itself held up
	how     how
}

// hop is one step of a chain: who waited for whom, over what, and how that is known.
type hop struct {
	waiter, holder threadNo
	resource       resourceNo
	evidence       evidence
}

// book is where all waiting is entered.
type book struct {
	ix       *index
	accounts map[accountKey]*account
	// external is waiting for what nobody of the target is at fault for, by the group
	// of what was waited for.
	external map[resourceNo]*account
	// forgotten is waiting that nobody will end, of that which is open.
	forgotten map[resourceNo]*account
	totals    contention.Totals
	// shares is what enter works with.
	shares tally[shareKey, share]
}

func newBook(ix *index) *book {
	return &book{
		ix:        ix,
		accounts:  make(map[accountKey]*account),
		external:  make(map[resourceNo]*account),
		forgotten: make(map[resourceNo]*account),
		totals:    contention.Totals{ByKind: make(map[contention.Kind]contention.KindTotal)},
	}
}

// count enters a wait into the totals. One by choice is listed, and not added up.
func (b *book) count(k contention.Kind, d time.Duration, adds bool) {
	kind := b.totals.ByKind[k]
	kind.Waits++
	kind.WaitTime += d
	b.totals.ByKind[k] = kind
	if adds {
		b.totals.Waits++
		b.totals.WaitTime += d
	}
}

// enter adds up what became of a part by account before it looks at each victim, for
// those may be many.
func (b *book) enter(leaves []leaf, victims []victim) {
	b.shares.clear()
	for i := range leaves {
		l := &leaves[i]
		if len(l.path) == 0 && victims[0].open { // the only one, for there is no path
			b.totals.Open += l.length()
			if victims[0].forgotten {
				b.forget(l, &victims[0])
			}
			continue
		}
		a := b.charge(l, victims[0].resource, l.length()*time.Duration(len(victims)))
		b.shares.of(shareKey{a, l.first()}).add(l)
	}
	for i := range b.shares.entries {
		e := &b.shares.entries[i]
		e.key.account.harm(victims, &e.value)
	}
}

// charge enters a leaf into the account of who answers for it, or as nobody's fault.
// Cost is the time of all victims, who waited for the same.
func (b *book) charge(l *leaf, waited resourceNo, cost time.Duration) *account {
	if l.how == byNobody {
		group := b.ix.objects[waited].group
		a := b.externalOf(group)
		a.add(l, waited, group, cost)
		b.totals.External += cost
		return a
	}
	last, key := l.path[len(l.path)-1], b.key(l.how, l.path)
	a := b.account(key)
	a.add(l, last.resource, key.group, cost)
	a.evidence[last.evidence] += cost
	b.totals.Blame += cost
	return a
}

// forget enters the leaf of a victim that nobody woke. That the word it sleeps on was
// looked at is the evidence.
func (b *book) forget(l *leaf, v *victim) {
	group := b.ix.objects[v.resource].group
	a := b.forgotten[group]
	if a == nil {
		a = &account{}
		b.forgotten[group] = a
	}
	var s share
	s.add(l)
	a.add(l, v.resource, group, l.length())
	a.evidence[byOwner] += l.length()
	a.victims.of(v.thread).add(v, &s)
}

func (b *book) account(key accountKey) *account {
	a := b.accounts[key]
	if a == nil {
		a = &account{}
		b.accounts[key] = a
	}
	return a
}

func (b *book) externalOf(group resourceNo) *account {
	a := b.external[group]
	if a == nil {
		a = &account{}
		b.external[group] = a
	}
	return a
}

// key names the account of the thread at the end of path.
func (b *book) key(how how, path []hop) accountKey {
	last := path[len(path)-1]
	return accountKey{last.holder, b.ix.objects[last.resource].group, how}
}

// acquit moves a whole account to the external ones.
func (b *book) acquit(key accountKey) {
	a := b.accounts[key]
	delete(b.accounts, key)
	b.totals.Blame -= a.blame
	b.totals.External += a.blame
	b.externalOf(key.group).merge(a)
}
