// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func theEnd(of int) contention.Resource {
	return contention.Resource{Kind: contention.Join, Address: contention.Address(of), PID: ours}
}

func (s *scene) ends(thread int, at time.Duration) {
	s.Exits = append(s.Exits, contention.Exit{Thread: id(thread), At: origin + at})
}

func TestWhoEndsWithOthersIsNotSlow(t *testing.T) {
	for name, test := range map[string]struct {
		others time.Duration // end of the other two
		told   []string
		blame  time.Duration
	}{
		"all at once":          {799 * ms, []string{"external"}, ms},
		"one long after":       {300 * ms, []string{"slow-producer 2", "external"}, 500 * ms},
		"the others later":     {900 * ms, []string{"slow-producer 2"}, 800 * ms},
		"the others, long ago": {0, []string{"slow-producer 2"}, 800 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(1000*ms, 1, 2, 3, 4)
			s.wait(1, theEnd(2), 0, 800*ms, by(2))
			s.ends(2, 800*ms)
			s.ends(3, test.others)
			s.ends(4, test.others)
			got := s.analyze()
			assertConserved(t, got)
			assert.Equal(t, test.told, told(got))
			assert.Equal(t, test.blame, got.Totals.Blame)
		})
	}
}

// A futex may be what the kernel clears when a thread ends, and nobody told.
func TestAnEndIsKnownByTheEnd(t *testing.T) {
	for _, test := range []struct {
		dies time.Duration
		told string
	}{{800 * ms, "external"}, {810 * ms, "slow-producer 2"}} {
		s := newScene(1000*ms, 1, 2, 3)
		s.wait(1, futex(2), 0, 800*ms, by(2))
		s.Waits[0].Waker.SameObject = false
		s.ends(2, test.dies)
		s.ends(3, 799*ms)
		got := s.analyze()
		assertConserved(t, got)
		assert.Equal(t, []string{test.told}, told(got))
	}
}

// Threads wait for work on words of their own. Whoever hands it out waits on one too, now
// and then, for a lock that they hold for a moment.
func TestWhoHandsOutWorkHoldsNoLock(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 3).repeat(100*ms, func(s *scene, from time.Duration) {
		s.wait(1, sleep(1), from, from+90*ms) // of its own accord
		s.wait(2, futex(2), from, from+91*ms, by(1))
		s.wait(3, futex(3), from, from+92*ms, by(1))
		if from < 300*ms {
			s.wait(1, futex(1), from+93*ms, from+94*ms, by(2))
		}
	})
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"external"}, told(got))
}
