// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
)

// account is who made whom wait, and for how long. Threads are known by their
// place in threads, which is in the order of their ids, so that nothing depends on
// the order in which the ledger lists them.
//
// Direct blame and what is unattributed add up to waited, and so do root blame and
// what is unattributed, to the nanosecond.
type account struct {
	threads   []ledger.Thread
	resources []ledger.Resource
	sums      ledger.Sums
	window    contention.Window

	waited, unattributed time.Duration
	waits, holds         int

	direct, root []time.Duration   // by thread
	edges        [][]time.Duration // direct, by waiter and by who was waited for
	rootEdges    [][]time.Duration // root, by waiter and by who is at the end of the chain
	rootBy       [][]time.Duration // root, by thread and by the resource it was charged over
	lacking      []time.Duration   // by thread: its own waiting for a CPU that no thread had
	ways         [][]time.Duration // root of the culprits, by the waiters and holders on the way to them
}

// accountOf sweeps over the window from one beginning or end of an interval to the
// next. In between nothing changes, so that each piece of each wait is charged whole.
func accountOf(l *ledger.Ledger) *account {
	a := newAccount(l)
	m := newMoment(a.threads, a.resources)
	list := a.changes()
	for i, c := range list {
		if i > 0 && c.at > list[i-1].at {
			a.charge(m, c.at-list[i-1].at)
		}
		m.apply(c)
	}
	return a
}

func newAccount(l *ledger.Ledger) *account {
	a := &account{threads: slices.Clone(l.Threads), resources: l.Resources, sums: l.Sum(), window: l.Window()}
	slices.SortFunc(a.threads, func(x, y ledger.Thread) int { return x.ID().Compare(y.ID()) })
	n := len(a.threads)
	a.direct, a.root, a.lacking = make([]time.Duration, n), make([]time.Duration, n), make([]time.Duration, n)
	a.edges, a.rootEdges, a.ways = table(n, n), table(n, n), table(n, n)
	a.rootBy = table(n, len(a.resources))
	return a
}

func table(rows, columns int) [][]time.Duration {
	t := make([][]time.Duration, rows)
	for i := range t {
		t[i] = make([]time.Duration, columns)
	}
	return t
}

// change is the beginning or end of an interval of one thread.
type change struct {
	at       time.Duration
	kind     ledger.Kind
	ends     bool
	thread   int
	resource int
	// until is when the interval ends, in the window or not.
	until time.Duration
}

// changes lists what changes within the window, in order, and counts the waits and
// holds in it.
func (a *account) changes() []change {
	var list []change
	for i, t := range a.threads {
		for _, e := range t.Entries {
			part, inside := e.Clip(a.window)
			if !inside {
				continue
			}
			a.count(e.Kind)
			c := change{at: part.Begin, kind: e.Kind, thread: i, resource: e.Resource, until: endOf(e)}
			list = append(list, c)
			c.at, c.ends = part.End, true
			list = append(list, c)
		}
	}
	slices.SortFunc(list, compareChanges)
	return list
}

// endOf is when an interval ended; one that had not lasts longer than any that had.
func endOf(e ledger.Entry) time.Duration {
	if e.Open() {
		return math.MaxInt64
	}
	return e.End
}

func (a *account) count(k ledger.Kind) {
	switch k {
	case ledger.Waiting:
		a.waits++
	case ledger.Holding:
		a.holds++
	}
}

// compareChanges orders by time. Of one time beginnings come first, so that an
// empty interval does not end before it began.
func compareChanges(x, y change) int {
	return cmp.Or(
		cmp.Compare(x.at, y.at),
		compareBool(x.ends, y.ends),
		cmp.Compare(x.thread, y.thread),
		cmp.Compare(x.resource, y.resource),
		cmp.Compare(x.kind, y.kind),
		cmp.Compare(x.until, y.until),
	)
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	default:
		return 1
	}
}

// charge divides a time in which nothing changed over those who are to blame.
func (a *account) charge(m *moment, d time.Duration) {
	for _, waiter := range m.waiting {
		for _, resource := range m.waits[waiter] {
			a.waited += d
			blamed := m.answerable(resource, []int{waiter})
			if m.holdsAlone(waiter, resource) {
				blamed = []int{waiter}
			}
			if len(blamed) == 0 {
				a.unattributed += d
				if a.isCPU(resource) {
					a.lacking[waiter] += d
				}
			}
			for i, part := range evenly(d, len(blamed)) {
				a.direct[blamed[i]] += part
				a.edges[waiter][blamed[i]] += part
				a.chargeRoot(m, blamed[i], resource, part, []int{waiter})
			}
		}
	}
}

func (a *account) isCPU(resource int) bool { return a.resources[resource].Kind == contention.CPU }

// chargeRoot charges d to the thread at the end of the chain that starts with
// thread, which is answerable for resource; path is who waits for whom before it. Where
// that thread lacks a CPU that no other has, it is over the CPU.
func (a *account) chargeRoot(m *moment, thread, resource int, d time.Duration, path []int) {
	own, waits := m.latestWait(thread)
	var blamed []int
	if waits {
		blamed = m.answerable(own, append(slices.Clip(path), thread))
	}
	if len(blamed) == 0 {
		if waits && a.isCPU(own) {
			resource = own
		}
		a.root[thread] += d
		a.rootEdges[path[0]][thread] += d
		a.rootBy[thread][resource] += d
		a.chargeWay(thread, d, path)
		return
	}
	path = append(slices.Clip(path), thread)
	for i, part := range evenly(d, len(blamed)) {
		a.chargeRoot(m, blamed[i], own, part, path)
	}
}

// chargeWay notes the hops by which the waiting came to a culprit.
func (a *account) chargeWay(thread int, d time.Duration, path []int) {
	if !a.threads[thread].Culprit {
		return
	}
	for i, waiter := range path {
		holder := thread
		if i+1 < len(path) {
			holder = path[i+1]
		}
		a.ways[waiter][holder] += d
	}
}

// evenly cuts d into n parts that differ by at most a nanosecond and add up to it.
func evenly(d time.Duration, n int) []time.Duration {
	parts := make([]time.Duration, n)
	for i := range parts {
		parts[i] = d / time.Duration(n)
		if time.Duration(i) < d%time.Duration(n) {
			parts[i]++
		}
	}
	return parts
}
