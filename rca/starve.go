// SPDX-License-Identifier: Apache-2.0

package rca

import "time"

// longestTurn is for how long a thread may have the CPU that others of its class want. A
// turn is 3 ms, up to 10 ms where the scheduler looks at the clock but a hundred times a
// second; what lasts twice that is of a higher class or weight, or cannot be preempted.
const longestTurn = 20 * time.Millisecond

// starvation is a time in which a thread was kept from a CPU by another for longer than
// any turn lasts, or by a quota. It costs the thread itself, whether or not it holds anything.
type starvation struct {
	episode
	thread threadNo
	span   // in which the occupant had the CPU, inside the window
}

// starvations lists those times, but for what spared threads had the CPU.
func (ix *index) starvations(spared map[threadNo]bool) []starvation {
	var list []starvation
	for thread, life := range ix.lives {
		for _, ep := range life {
			had := ep.occupation().within(ix.window)
			if ep.wait == wantsCPU && (ep.occupied >= longestTurn || ix.isQuota(ep.occupant)) && had.length() > 0 &&
				ep.occupant != nobody && ep.occupant != threadNo(thread) && !spared[ep.occupant] {
				list = append(list, starvation{ep, threadNo(thread), had})
			}
		}
	}
	return list
}

// explainStarvation charges the occupant.
func (e *explanation) explainStarvation(s *starvation) {
	e.begin()
	path := []hop{{s.thread, s.occupant, e.cpu, e.evidenceOf(s.occupant)}}
	e.add(leaf{span: s.span, how: byOccupying, since: s.episode.from}, path)
	e.alone[0] = victim{thread: s.thread, resource: e.cpu, serial: s.serial, stack: s.stack}
	e.enter(e.leaves, e.alone[:])
}
