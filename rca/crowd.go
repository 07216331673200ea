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

// survey is what is known of those who have CPUs that others want, if each is held to
// answer for it.
type survey struct {
	*book                            // of which only what is charged by CPUs has victims
	stretches map[threadNo][]wanting // by occupant; more than minStretches are not told apart
	kept      map[keeping]bool
}

// wanting is a time in which a thread wanted a CPU.
type wanting struct {
	thread threadNo
	since  time.Duration
}

// keeping is whom an occupant kept from a CPU, by what that one answers for.
type keeping struct {
	occupant threadNo
	kept     accountKey
}

func (s *survey) enter(leaves []leaf, victims []victim) {
	for i := range leaves {
		l := &leaves[i]
		if l.how == byNobody {
			continue
		}
		a, cost := s.account(s.key(l.how, l.path)), l.length()*time.Duration(len(victims))
		a.blame += cost
		if l.idle {
			a.idle += cost
		}
		if l.how == byOccupying {
			s.note(l)
			for i := range victims {
				a.victims.of(victims[i].thread).time += l.length()
			}
		}
	}
}

func (s *survey) note(l *leaf) {
	last := len(l.path) - 1
	occupant := l.path[last].holder
	stretches, this := s.stretches[occupant], wanting{l.path[last].waiter, l.since}
	if len(stretches) < minStretches && !slices.Contains(stretches, this) {
		s.stretches[occupant] = append(stretches, this)
	}
	if last > 0 {
		s.kept[keeping{occupant, s.key(l.kept, l.path[:last])}] = true
	}
}

// own is, for each occupant, what those whom it kept from a CPU answer for themselves:
// what they did when they were not kept.
func (s *survey) own() map[threadNo]time.Duration {
	own := make(map[threadNo]time.Duration)
	for k := range s.kept {
		if a := s.accounts[k.kept]; a != nil {
			own[k.occupant] += a.blame - a.idle
		}
	}
	return own
}

// fairOccupants finds those who do not stand out by having a CPU. That threads take
// turns on a CPU is as it should be: a thread that shares one fairly while it holds a
// lock holds it for longer, and answers for that itself.
func fairOccupants(ix *index, worth func(time.Duration) bool) map[threadNo]bool {
	fair := make(map[threadNo]bool)
	if len(ix.objects[ix.cpu].waiters) == 0 {
		return fair
	}
	s := &survey{newBook(ix), make(map[threadNo][]wanting), make(map[keeping]bool)}
	explainInto(ix, s, nil)
	usual, own := newUsual(ix, s.book, blameOf), s.own()
	for key, a := range s.accounts {
		if key.how == byOccupying && !ix.isQuota(key.culprit) && (len(s.stretches[key.culprit]) < minStretches || !worth(a.worst(key.culprit)) ||
			a.blame < alike*usual.of(key) || a.blame < fairShare*own[key.culprit]) {
			fair[key.culprit] = true
		}
	}
	return fair
}
