// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"slices"

	"github.com/os2026/ebpf-rca/harness/ledger"
)

// maxChain bounds how many threads a chain of waits is followed over.
const maxChain = 16

// moment is what all threads are doing at one time.
type moment struct {
	resources []ledger.Resource
	// producers lists, for a resource, the threads that ever work for it.
	producers [][]int

	waiting []int      // threads that wait, in order, each once
	waits   [][]int    // by thread: the resources waited for, the latest last
	holders [][]int    // by resource: the threads that hold it, in order
	tenures [][]tenure // by resource that all must leave: the holds of it
	working [][]int    // by resource: the threads that work for it, in order
}

func newMoment(threads []ledger.Thread, resources []ledger.Resource) *moment {
	m := &moment{
		resources: resources,
		producers: make([][]int, len(resources)),
		waits:     make([][]int, len(threads)),
		holders:   make([][]int, len(resources)),
		tenures:   make([][]tenure, len(resources)),
		working:   make([][]int, len(resources)),
	}
	for i, t := range threads {
		for _, e := range t.Entries {
			if e.Kind == ledger.Working && !slices.Contains(m.producers[e.Resource], i) {
				m.producers[e.Resource] = append(m.producers[e.Resource], i)
			}
		}
	}
	return m
}

func (m *moment) apply(c change) {
	switch c.kind {
	case ledger.Waiting:
		m.applyWait(c)
	case ledger.Holding:
		m.holders[c.resource] = changed(m.holders[c.resource], c)
		if m.resources[c.resource].AllLeave {
			m.applyTenure(c)
		}
	case ledger.Working:
		m.working[c.resource] = changed(m.working[c.resource], c)
	}
}

func (m *moment) applyWait(c change) {
	own := m.waits[c.thread]
	if !c.ends {
		m.waits[c.thread] = append(own, c.resource)
	} else if i := slices.Index(own, c.resource); i >= 0 {
		m.waits[c.thread] = slices.Delete(own, i, i+1)
	}
	if len(own) == 0 || len(m.waits[c.thread]) == 0 {
		m.waiting = changed(m.waiting, c)
	}
}

// changed puts the thread of c into an ordered list, or takes it out once. A thread
// stands in it as often as it has intervals that overlap.
func changed(list []int, c change) []int {
	i, found := slices.BinarySearch(list, c.thread)
	switch {
	case !c.ends:
		return slices.Insert(list, i, c.thread)
	case found:
		return slices.Delete(list, i, i+1)
	default:
		return list
	}
}

// latestWait returns what a thread waits for; of several that it began last.
func (m *moment) latestWait(thread int) (resource int, waits bool) {
	own := m.waits[thread]
	if len(own) == 0 {
		return 0, false
	}
	return own[len(own)-1], true
}

// answerable lists the threads to blame, in even parts, for a wait on a resource.
// path is who waits for whom so far, the one that waits last; none of them is
// blamed, so that a circle ends.
//
// A resource that is held is answered for by those who hold it, whatever they do;
// where all of them must leave, by the one that will leave last.
// One that is produced is answered for by those who work for it and by those who
// are kept from it by a wait that somebody answers for; a producer that sleeps of
// its own accord is not to blame, and neither is anyone else.
func (m *moment) answerable(resource int, path []int) []int {
	if len(path) > maxChain {
		return nil
	}
	if m.resources[resource].OneWay {
		return m.producing(resource, path)
	}
	holders := without(m.holders[resource], path)
	if m.resources[resource].AllLeave {
		return lastToLeave(m.tenures[resource], holders)
	}
	return holders
}

func (m *moment) producing(resource int, path []int) []int {
	var list []int
	for _, p := range without(m.producers[resource], path) {
		own, waits := m.latestWait(p)
		switch {
		case waits && len(m.answerable(own, append(slices.Clip(path), p))) > 0:
			list = append(list, p)
		case !waits && slices.Contains(m.working[resource], p):
			list = append(list, p)
		}
	}
	return list
}

// holdsAlone reports whether a thread is the only one that holds a resource. If it waits
// for it too it waits for itself.
func (m *moment) holdsAlone(thread, resource int) bool {
	holders := m.holders[resource]
	return !m.resources[resource].OneWay && len(holders) > 0 && !slices.ContainsFunc(holders, func(h int) bool { return h != thread })
}

// without returns the threads of an ordered list that are not on the path, each once.
func without(list, path []int) []int {
	var rest []int
	for _, t := range list {
		if !slices.Contains(path, t) && !slices.Contains(rest, t) {
			rest = append(rest, t)
		}
	}
	return rest
}
