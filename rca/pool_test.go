// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func semaphore(n int) contention.Resource {
	return contention.Resource{Kind: contention.Semaphore, Address: contention.Address(n), PID: ours}
}

// hoarded is a pool of two permits. In each 100 ms thread 1 keeps one for 80 ms, while 2
// and 3 hand the other to each other, and 4 waits for the first.
func hoarded() *scene {
	s := newScene(1000*ms, 1, 2, 3, 4).repeat(100*ms, func(s *scene, at time.Duration) {
		a, b := 2, 3
		if at/(100*ms)%2 == 1 {
			a, b = b, a
		}
		pool := semaphore(1)
		s.wait(4, pool, at, at+80*ms, by(1))
		s.wait(b, pool, at, at+20*ms, by(a))
		s.wait(a, pool, at+20*ms, at+40*ms, by(b))
		s.wait(b, pool, at+40*ms, at+60*ms, by(a))
		s.wait(a, pool, at+60*ms, at+80*ms, by(b))
		s.wait(1, pool, at+80*ms, at+100*ms, by(4))
		s.wait(b, pool, at+80*ms, at+100*ms, by(a))
	})
	return s
}

func TestAPoolIsSharedByThoseWhoHaveAPermit(t *testing.T) {
	s := hoarded()
	got := s.analyze()
	assertConserved(t, got)
	charges := charged(got)
	// Each waiting of two is half the doing of each that has a permit. Whose permit is
	// from before the window is not known.
	assert.InDelta(t, (10 * 80 * ms).Seconds(), charges[1].Seconds(), 0.1)
	assert.InDelta(t, (10 * 20 * ms).Seconds(), charges[4].Seconds(), 0.04)
	assert.InDelta(t, charges[2].Seconds(), charges[3].Seconds(), 0.08)
}

func TestWhatOneThreadHasAtATimeIsNoPool(t *testing.T) {
	for name, s := range map[string]*scene{
		"convoy":                    convoy(semaphore(1), 20, 50*ms, ms, ms, ms),
		"let go while nobody waits": quietlyReleased(),
	} {
		ix := newIndex(&s.Trace)
		assert.Empty(t, ix.objects[ix.resource(semaphore(1))].permits, name)
	}
	ix := newIndex(&hoarded().Trace)
	assert.NotEmpty(t, ix.objects[ix.resource(semaphore(1))].permits)
}

// quietlyReleased is a lock that 1 and 2 take in turn, and that each lets go now and then
// while nobody waits, which is not seen.
func quietlyReleased() *scene {
	return newScene(1000*ms, 1, 2, 3).repeat(100*ms, func(s *scene, at time.Duration) {
		lock := semaphore(1)
		s.wait(1, lock, at, at+10*ms, by(2))       // 1 has it, and lets it go at 15 ms, unseen
		s.wait(3, lock, at+30*ms, at+40*ms, by(2)) // 2 had taken it at 20 ms
		s.wait(2, lock, at+60*ms, at+70*ms, by(1)) // 1 had taken it at 50 ms
	})
}
