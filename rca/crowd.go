// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"slices"
	"time"
)

// fairShare is how many times longer than it ran itself a thread may be kept from a
// CPU by another with which it merely shares it. Of two that take turns each runs
// about half of the time; chance makes that up to twice as long for one of them. What
// is beyond is of a higher class, or cannot be preempted.
const fairShare = 2

// minStretches is how often an occupant must have kept others from a CPU for so long.
// Once or twice is chance: a virtual machine that was not let run looks the same.
const minStretches = 3

// crowding is a part of a wait in which the thread that was waited for wanted a CPU
// that another had.
type crowding struct {
	victim
	span
	way  how
	path []hop // the last hop is from the one to the other
	// stretch is the beginning of the whole time in which the thread wanted a CPU.
	stretch time.Duration
}

// crowdOut enters a part as the doing of who had the CPU, to the best of what is
// known before all is seen.
func (b *book) crowdOut(v victim, way how, path []hop, s span, stretch time.Duration) {
	b.charge(v, byOccupying, path, s)
	b.crowdings = append(b.crowdings, crowding{v, s, way, slices.Clone(path), stretch})
}

// stretches counts how often each occupant kept others from a CPU.
func (b *book) stretches() map[threadNo]int {
	type stretch struct {
		occupant, kept threadNo
		begin          time.Duration
	}
	seen := make(map[stretch]bool)
	counts := make(map[threadNo]int)
	for _, c := range b.crowdings {
		last := c.path[len(c.path)-1]
		if s := (stretch{last.holder, last.waiter, c.stretch}); !seen[s] {
			seen[s] = true
			counts[last.holder]++
		}
	}
	return counts
}

// keptFromCPU is, for each occupant, what those whom it kept from a CPU answer for
// themselves: what they did when they were not kept.
func (b *book) keptFromCPU() map[threadNo]time.Duration {
	type pair struct {
		occupant threadNo
		kept     accountKey
	}
	seen := make(map[pair]bool)
	own := make(map[threadNo]time.Duration)
	for _, c := range b.crowdings {
		last := len(c.path) - 1
		p := pair{c.path[last].holder, b.key(c.way, c.path[:last])}
		if a := b.accounts[p.kept]; a != nil && !seen[p] {
			seen[p] = true
			own[p.occupant] += a.blame - a.idle()
		}
	}
	return own
}

// chargeIdle charges a part in which the thread at the end of path was kept from
// running. It answers for that part, but is not accused for it.
func (b *book) chargeIdle(v victim, how how, path []hop, s span) {
	if s.length() > 0 {
		b.charge(v, how, path, s)
		b.accounts[b.key(how, path)].victims.of(v.thread).idle += s.length()
	}
}

// giveBack leaves a CPU charged only to those who stand out by it. That threads take
// turns on a CPU is as it should be: a thread that shares one fairly while it holds a
// lock holds it for longer, and answers for that itself.
func giveBack(ix *index, b *book, worth func(time.Duration) bool) {
	usual, stretches, kept := newUsualBlame(ix, b), b.stretches(), b.keptFromCPU()
	fair := make(map[accountKey]bool)
	for key, a := range b.accounts {
		if key.how == byOccupying && (stretches[key.culprit] < minStretches || !worth(a.worst(key.culprit)) ||
			a.blame < alike*usual.of(key) || a.blame < fairShare*kept[key.culprit]) {
			fair[key] = true
		}
	}
	for key := range fair {
		b.totals.Blame -= b.accounts[key].blame
		delete(b.accounts, key)
	}
	for _, c := range b.crowdings {
		if last := len(c.path) - 1; fair[accountKey{c.path[last].holder, ix.cpu, byOccupying}] {
			b.chargeIdle(c.victim, c.way, c.path[:last], c.span)
		}
	}
}
