// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// repeat adds something to a scene every so often.
func (s *scene) repeat(every time.Duration, do func(s *scene, from time.Duration)) *scene {
	for from := time.Duration(0); from+every <= s.Window.Length(); from += every {
		do(s, from)
	}
	return s
}

func TestLocks(t *testing.T) {
	L, M := mutex(0x10), mutex(0x20)
	for name, test := range map[string]struct {
		scene          *scene
		told           []string
		charged        blames
		external, open time.Duration
	}{
		"short convoy": {
			scene:   convoy(L, 10, 50*ms, ms/500, ms/500, ms/500, ms/500),
			told:    []string{"lock-holder 1"},
			charged: blames{1: 2000 * ms, 2: 40 * ms / 500, 3: 40 * ms / 500, 4: 40 * ms / 500, 5: 40 * ms / 500},
		},
		"long convoy, where the last waker is innocent": {
			scene:   convoy(L, 10, 50*ms, 2*ms, ms, 2*ms, ms),
			told:    []string{"lock-holder 1"},
			charged: blames{1: 2000 * ms, 2: 80 * ms, 3: 40 * ms, 4: 80 * ms, 5: 40 * ms},
		},
		"long convoy on words of unknown make": {
			scene:   convoy(futex(0x10), 10, 50*ms, 2*ms, ms, 2*ms, ms),
			told:    []string{"lock-holder 1"},
			charged: blames{1: 2000 * ms, 2: 80 * ms, 3: 40 * ms, 4: 80 * ms, 5: 40 * ms},
		},
		"two culprits, the worse one first": {
			scene:   convoy(L, 10, ms, 30*ms, ms, 70*ms),
			told:    []string{"lock-holder 4", "lock-holder 2"},
			charged: blames{1: 30 * ms, 2: 900 * ms, 3: 30 * ms, 4: 2100 * ms},
		},
		"a hot lock held alike has no culprit": {
			scene:   convoy(L, 10, 20*ms, 25*ms, 15*ms, 40*ms),
			told:    []string{"contended"},
			charged: blames{1: 600 * ms, 2: 750 * ms, 3: 450 * ms, 4: 1200 * ms},
		},
		"two threads that hold alike": {
			scene:   convoy(L, 10, 40*ms, 20*ms),
			told:    []string{"contended"},
			charged: blames{1: 400 * ms, 2: 200 * ms},
		},
		"one of two threads": {
			scene:   convoy(L, 10, 40*ms, 10*ms),
			told:    []string{"lock-holder 1"},
			charged: blames{1: 400 * ms, 2: 100 * ms},
		},
		"slices of one wait that end by a timer": {
			scene: newScene(200*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				for at := from; at < from+90*ms; at += 10 * ms {
					s.wait(2, L, at, at+9*ms)
				}
				s.wait(2, L, from+90*ms, from+95*ms, by(1))
			}),
			told:    []string{"lock-holder 1"},
			charged: blames{1: 172 * ms},
		},
		"what comes after a slice is no proof if the waiter itself let go first": {
			scene: func() *scene {
				s := newScene(200*ms, 1, 2, 3)
				s.wait(2, L, 0, 50*ms)
				s.wait(3, L, 60*ms, 70*ms, by(2))
				s.wait(3, L, 80*ms, 90*ms, by(1))
				return s
			}(),
			told:     []string{"lock-holder 1", "lock-holder 2", "external"},
			charged:  blames{2: 10 * ms, 1: 10 * ms},
			external: 50 * ms,
		},
		"the owner word names who held during a slice": {
			scene: func() *scene {
				s := newScene(200*ms, 1, 2, 3)
				s.wait(2, L, 0, 50*ms, owner(3))
				s.wait(2, L, 60*ms, 61*ms, by(1))
				return s
			}(),
			told:    []string{"lock-holder 3"},
			charged: blames{3: 50 * ms, 1: 1 * ms},
		},
		"owner word of a wait that has not ended": {
			scene: func() *scene {
				s := newScene(100*ms, 1, 2)
				s.wait(2, L, 10*ms, 0, open, owner(1))
				return s
			}(),
			told:    []string{"lock-holder 1"},
			charged: blames{1: 90 * ms},
		},
		"an owner word is stale after a release": {
			scene: func() *scene {
				s := newScene(100*ms, 1, 2, 3)
				s.wait(2, L, 10*ms, 0, open, owner(1))
				s.wait(3, L, 15*ms, 30*ms, by(1))
				return s
			}(),
			told:    []string{"lock-holder 1"},
			charged: blames{1: (20 + 15) * ms},
			open:    70 * ms,
		},
		"an owner nobody knows": {
			scene: func() *scene {
				s := newScene(100*ms, 2)
				s.wait(2, L, 10*ms, 0, open, owner(77))
				return s
			}(),
			told: []string{}, charged: blames{}, open: 90 * ms,
		},
		"a thread is not its own owner": {
			scene: func() *scene {
				s := newScene(100*ms, 2)
				s.wait(2, L, 10*ms, 0, open, owner(2))
				return s
			}(),
			told: []string{}, charged: blames{}, open: 90 * ms,
		},
		"chain of two locks": {
			// 3 wants L, which 2 has; 2 waits for M, which 1 has.
			scene: newScene(1000*ms, 1, 2, 3).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, M, from+5*ms, from+80*ms, by(1))
				s.wait(3, L, from+10*ms, from+83*ms, by(2))
			}),
			told:    []string{"lock-holder 1"},
			charged: blames{1: (750 + 700) * ms, 2: 30 * ms},
		},
		"a holder sleeps": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(1, sleep(1), from+10*ms, from+60*ms)
				s.wait(2, L, from+20*ms, from+65*ms, by(1))
			}),
			told:    []string{"lock-holder 1"},
			charged: blames{1: 450 * ms},
		},
		"a holder waits for a disk": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(1, contention.Resource{Kind: contention.Disk, TID: 1}, from+20*ms, from+60*ms)
				s.wait(2, L, from+20*ms, from+60*ms, by(1))
			}),
			told:     []string{"lock-holder 1", "io"},
			charged:  blames{1: 400 * ms},
			external: 400 * ms,
		},
		"a holder that was preempted": {
			scene: newScene(1000*ms, 1, 2, 9).repeat(100*ms, func(s *scene, from time.Duration) {
				s.preempted(1, 9, from+10*ms, from+60*ms)
				s.wait(2, L, from+10*ms, from+65*ms, by(1))
			}),
			told:    []string{"cpu-starvation 9", "lock-holder 1"},
			charged: blames{9: 500 * ms, 1: 50 * ms},
		},
		"a holder that got no CPU after a wait": {
			scene: newScene(1000*ms, 1, 2, 9).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(1, sleep(1), from, from+10*ms, func(w *contention.Wait) { w.Ran, w.Occupant = w.Ran+50*ms, id(9) })
				s.wait(2, L, from+10*ms, from+65*ms, by(1))
			}),
			told:    []string{"cpu-starvation 9", "lock-holder 1"},
			charged: blames{9: 500 * ms, 1: 50 * ms},
		},
		"nobody is to blame for a CPU that all want alike": {
			scene: newScene(1000*ms, 1, 2, 3).repeat(100*ms, func(s *scene, from time.Duration) {
				for i := range 3 {
					at := from + time.Duration(30*i)*ms
					holder, occupant, victim := 1+i, 1+(i+1)%3, 1+(i+2)%3
					s.preempted(holder, occupant, at, at+20*ms)
					s.wait(victim, L, at, at+22*ms, by(holder))
				}
			}),
			told:    []string{"contended"},
			charged: blames{1: 220 * ms, 2: 220 * ms, 3: 220 * ms},
		},
		"preempted with nobody there": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.Preemptions = append(s.Preemptions, contention.Preemption{Thread: id(1), Begin: origin + from, Ran: origin + from + 50*ms})
				s.wait(2, L, from, from+50*ms, by(1))
			}),
			told:    []string{"contended"},
			charged: blames{1: 500 * ms},
		},
		"private words lead to the true holder": {
			// Each waiter sleeps on a word of its own; who gets the lock wakes the next.
			scene: newScene(1000*ms, 1, 2, 3, 4).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, futex(2), from+1*ms, from+81*ms, by(1))
				s.wait(3, futex(3), from+1*ms, from+82*ms, by(2))
				s.wait(1, futex(1), from+81*ms, from+83*ms, by(3))
			}),
			told:    []string{"lock-holder 1"},
			charged: blames{1: (800 + 800) * ms, 2: 20 * ms, 3: 10 * ms, 4: 0},
		},
		"a word of its own that a thread sleeps on by the clock is not waited for": {
			scene: func() *scene {
				s := newScene(1000*ms, 1, 2, 3, 4)
				s.wait(2, futex(2), 0, 80*ms, by(1))
				s.wait(3, futex(3), 0, 81*ms, by(2))
				s.wait(1, futex(1), 80*ms, 82*ms, by(3))
				for at := time.Duration(0); at < 900*ms; at += 100 * ms {
					s.wait(4, futex(4), at, at+99*ms)
				}
				s.wait(4, futex(4), 900*ms, 910*ms, by(1))
				return s
			}(),
			told:     []string{"lock-holder 1", "external"},
			charged:  blames{1: (80 + 80 + 10) * ms, 2: 2 * ms, 3: ms},
			external: 9 * 99 * ms,
		},
		"two that wait for each other by the clock": {
			scene: func() *scene {
				s := newScene(500*ms, 1, 2)
				s.wait(1, L, 0, 50*ms, by(2))
				s.wait(2, M, 0, 50*ms)
				s.wait(2, M, 50*ms, 60*ms, by(1))
				return s
			}(),
			told:    []string{"lock-holder 1", "lock-holder 2"},
			charged: blames{1: 60 * ms, 2: 50 * ms},
		},
		"a victim is not what keeps the holder from the CPU": {
			scene: func() *scene {
				s := newScene(500*ms, 1, 2)
				s.wait(2, L, 0, 50*ms, by(1))
				s.preempted(1, 2, 0, 50*ms)
				return s
			}(),
			told:    []string{"contended"},
			charged: blames{1: 50 * ms},
		},
		"much for all together, and for each too little": {
			scene: func() *scene {
				s := newScene(1000*ms, 1, 2, 3, 4, 5)
				for tid := 2; tid <= 5; tid++ {
					s.wait(tid, L, 0, 40*ms, by(1))
				}
				return s
			}(),
			told: []string{}, charged: blames{1: 160 * ms},
		},
		"waits are cut to the window": {
			scene: func() *scene {
				s := newScene(100*ms, 1, 2, 3)
				s.wait(2, L, -50*ms, 40*ms, by(1))
				s.wait(3, L, 60*ms, 150*ms, by(1))
				s.wait(3, L, -90*ms, -80*ms, by(1))
				s.wait(2, L, 110*ms, 120*ms, by(1))
				return s
			}(),
			told:    []string{"lock-holder 1"},
			charged: blames{1: 80 * ms},
		},
		"what it costs a thread itself does not make it a culprit": {
			scene: func() *scene {
				s := newScene(100*ms, 1, 2)
				s.wait(1, L, 0, 50*ms)            // a slice
				s.wait(2, L, 60*ms, 62*ms, by(1)) // 1 has got it, who knows from whom
				return s
			}(),
			told:    []string{"external"},
			charged: blames{1: 2 * ms}, external: 50 * ms,
		},
		"too little": {
			scene: func() *scene {
				s := newScene(1000*ms, 1, 2)
				s.wait(2, L, 0, 49*ms, by(1))
				return s
			}(),
			told: []string{}, charged: blames{1: 49 * ms},
		},
		"a holder that waits for nobody in particular": {
			// 1 has L and waits for the outside, on a lock nobody lets go.
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(1, M, from, from+50*ms)
				s.wait(2, L, from, from+50*ms, by(1))
			}),
			told:     []string{"lock-holder 1", "external"},
			charged:  blames{1: 500 * ms},
			external: 500 * ms,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.scene.analyze()
			assertConserved(t, got)
			for tid, d := range test.charged {
				if d == 0 {
					delete(test.charged, tid)
				}
			}
			assert.Equal(t, test.told, told(got))
			assert.Equal(t, test.charged, charged(got))
			assert.Equal(t, test.external, got.Totals.External, "external")
			assert.Equal(t, test.open, got.Totals.Open, "open")
		})
	}
}

func TestProducers(t *testing.T) {
	for name, test := range map[string]struct {
		scene    *scene
		told     []string
		charged  blames
		external time.Duration
	}{
		"a slow writer computes": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, data(1), from+1*ms, from+100*ms, by(1))
			}),
			told:    []string{"slow-producer 1"},
			charged: blames{1: 990 * ms},
		},
		"a slow reader computes": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, room(1), from+1*ms, from+100*ms, by(1))
			}),
			told:    []string{"slow-consumer 1"},
			charged: blames{1: 990 * ms},
		},
		"a producer that mostly sleeps is not slow for what it does when it wakes": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(1, sleep(1), from+1*ms, from+80*ms)
				s.wait(2, data(1), from+1*ms, from+100*ms, by(1))
			}),
			told:     []string{"external"},
			charged:  blames{1: 200 * ms},
			external: 790 * ms,
		},
		"a producer that sleeps half of the time is": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(1, sleep(1), from+1*ms, from+51*ms)
				s.wait(2, data(1), from+1*ms, from+100*ms, by(1))
			}),
			told:     []string{"slow-producer 1", "external"},
			charged:  blames{1: 490 * ms},
			external: 500 * ms,
		},
		"a producer that sleeps is nobody's fault": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(1, sleep(1), from+1*ms, from+99*ms)
				s.wait(2, data(1), from+1*ms, from+100*ms, by(1))
			}),
			told:     []string{"external"},
			charged:  blames{1: 10 * ms},
			external: 980 * ms,
		},
		"a writer that waits for the reader now and then is slow all the same": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, data(1), from, from+70*ms, by(1))
				s.wait(1, room(1), from+70*ms, from+85*ms, by(2))
			}),
			told:    []string{"slow-producer 1"},
			charged: blames{1: 700 * ms, 2: 150 * ms},
		},
		"lock held over a pipe that a slow thread fills": {
			scene: newScene(1000*ms, 1, 2, 3).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, data(1), from+5*ms, from+80*ms, by(1))
				s.wait(3, mutex(1), from+10*ms, from+83*ms, by(2))
			}),
			told:    []string{"slow-producer 1"},
			charged: blames{1: (750 + 700) * ms, 2: 30 * ms},
		},
		"lock held over a pipe that a sleeper fills": {
			scene: newScene(1000*ms, 1, 2, 3).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(1, sleep(1), from, from+80*ms)
				s.wait(2, data(1), from, from+80*ms, by(1))
				s.wait(3, mutex(1), from, from+80*ms, by(2))
			}),
			told:     []string{"lock-holder 2", "external"},
			charged:  blames{2: 800 * ms},
			external: 800 * ms,
		},
		"three stages, the first is slow": {
			scene: newScene(1000*ms, 1, 2, 3).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, data(1), from+5*ms, from+90*ms, by(1))
				s.wait(3, data(2), from+10*ms, from+93*ms, by(2))
			}),
			told:    []string{"slow-producer 1"},
			charged: blames{1: (850 + 800) * ms, 2: 30 * ms},
		},
		"three stages, the first sleeps": {
			scene: newScene(1000*ms, 1, 2, 3).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(1, sleep(1), from+5*ms, from+90*ms)
				s.wait(2, data(1), from+5*ms, from+90*ms, by(1))
				s.wait(3, data(2), from+5*ms, from+90*ms, by(2))
			}),
			told:     []string{"external", "external"},
			charged:  blames{},
			external: (850 + 850) * ms,
		},
		"a pair that takes turns": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, data(1), from, from+60*ms, by(1))
				s.wait(1, data(2), from+60*ms, from+100*ms, by(2))
			}),
			told:     []string{"external", "external"},
			charged:  blames{},
			external: 1000 * ms,
		},
		"a pair that takes turns over two words": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, futex(1), from, from+60*ms, by(1))
				s.wait(1, futex(2), from+60*ms, from+100*ms, by(2))
			}),
			told:    []string{"contended"},
			charged: blames{1: 600 * ms, 2: 400 * ms},
		},
		"a ring of three that takes turns": {
			scene: newScene(900*ms, 1, 2, 3).repeat(90*ms, func(s *scene, from time.Duration) {
				s.wait(2, data(2), from-30*ms, from+30*ms, by(1))
				s.wait(3, data(3), from, from+60*ms, by(2))
				s.wait(1, data(1), from+30*ms, from+90*ms, by(3))
			}),
			told:     []string{"external", "external", "external"},
			charged:  blames{},
			external: (570 + 600 + 600) * ms,
		},
		"a ring of three with a slow member": {
			scene: newScene(1000*ms, 1, 2, 3).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, data(2), from+1*ms, from+80*ms, by(1))
				s.wait(3, data(3), from+1*ms, from+90*ms, by(2))
				s.wait(1, data(1), from+80*ms, from+100*ms, by(3))
			}),
			told:    []string{"slow-producer 1"},
			charged: blames{1: (790 + 790) * ms, 2: (100 + 100) * ms, 3: 100 * ms},
		},
		"a master waits longer for its workers than each for it": {
			scene: newScene(1000*ms, 1, 2, 3, 4, 5, 6, 7, 8, 9).repeat(100*ms, func(s *scene, from time.Duration) {
				for w := 2; w <= 9; w++ {
					s.wait(w, data(uint64(w)), from, from+20*ms, by(1))
				}
				s.wait(1, data(1), from+20*ms, from+60*ms, by(2))
			}),
			told: []string{
				"external", "external", "external", "external", "external", "external", "external", "external", "external",
			},
			charged:  blames{},
			external: 2000 * ms,
		},
		"idle pool on a condition variable": {
			scene:    idlePool(condvar(1)),
			told:     []string{"external"},
			charged:  blames{},
			external: 4 * 900 * ms,
		},
		"idle pool on a word of unknown make": {
			scene:    idlePool(futex(1)),
			told:     []string{"external"},
			charged:  blames{},
			external: 4 * 900 * ms,
		},
		"a thread that wakes up by itself, told to stop in the end by one that computes": {
			scene: func() *scene {
				s := newScene(1000*ms, 1, 2)
				for at := time.Duration(0); at < 900*ms; at += 100 * ms {
					s.wait(2, condvar(1), at, at+99*ms)
				}
				s.wait(2, condvar(1), 900*ms, 910*ms, by(1))
				return s
			}(),
			told:     []string{"external"},
			charged:  blames{1: 10 * ms},
			external: 9 * 99 * ms,
		},
		"interrupts are never accused": {
			scene: newScene(1000*ms, 1, 2).repeat(100*ms, func(s *scene, from time.Duration) {
				s.wait(2, contention.Resource{Kind: contention.Socket, Inode: 1, Side: contention.ForData}, from, from+90*ms, func(w *contention.Wait) {
					w.Waker.Thread = id(1) // on whose back the interrupt came
				})
				s.wait(1, data(1), from, from+90*ms, by(2), func(w *contention.Wait) { w.Waker.Kind = contention.WokenByKernel })
			}),
			told:     []string{"external", "external"},
			charged:  blames{},
			external: 1800 * ms,
		},
		"a process that is not observed may have slept": {
			scene: func() *scene {
				s := newScene(1000*ms, 2)
				s.join(55, 1)
				return s.repeat(100*ms, func(s *scene, from time.Duration) { s.wait(2, data(1), from, from+90*ms, by(1)) })
			}(),
			told:     []string{"external"},
			charged:  blames{},
			external: 900 * ms,
		},
		"a process that holds a lock need not be observed": {
			scene: func() *scene {
				s := newScene(1000*ms, 2)
				s.join(55, 1)
				return s.repeat(100*ms, func(s *scene, from time.Duration) { s.wait(2, mutex(1), from, from+90*ms, by(1)) })
			}(),
			told:    []string{"lock-holder 1"},
			charged: blames{1: 900 * ms},
		},
		"a child that only computes is observed by its samples": {
			scene: func() *scene {
				s := newScene(1000*ms, 2)
				s.join(55, 1)
				s.Samples = append(s.Samples, contention.Sample{Thread: id(1), At: origin + ms})
				return s.repeat(100*ms, func(s *scene, from time.Duration) { s.wait(2, data(1), from, from+90*ms, by(1)) })
			}(),
			told:    []string{"slow-producer 1"},
			charged: blames{1: 900 * ms},
		},
		"the observer is never accused": {
			scene: func() *scene {
				s := newScene(1000*ms, 1, 2)
				s.join(77, 7)
				s.Observer = 77
				return s.repeat(100*ms, func(s *scene, from time.Duration) {
					s.preempted(1, 7, from+10*ms, from+60*ms)
					s.wait(2, mutex(1), from+10*ms, from+65*ms, by(1))
					s.wait(1, data(1), from+80*ms, from+90*ms, by(7))
				})
			}(),
			told:     []string{"lock-holder 1", "external"},
			charged:  blames{1: 550 * ms},
			external: 100 * ms,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.scene.analyze()
			assertConserved(t, got)
			assert.Equal(t, test.told, told(got))
			assert.Equal(t, test.charged, charged(got))
			assert.Equal(t, test.external, got.Totals.External, "external")
		})
	}
}

// idlePool is four workers that a sleeper gives work to once in 100 ms.
func idlePool(r contention.Resource) *scene {
	return newScene(1000*ms, 1, 2, 3, 4, 5).repeat(100*ms, func(s *scene, from time.Duration) {
		s.wait(1, sleep(1), from, from+90*ms)
		for worker := 2; worker <= 5; worker++ {
			s.wait(worker, r, from, from+90*ms, by(1))
		}
	})
}

func TestAnOpenWaitIsOpenOnlyFromTheLastSignalOn(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 3)
	s.wait(1, sleep(1), 0, 690*ms)
	s.wait(2, condvar(1), 0, 0, open)
	s.wait(3, condvar(1), 500*ms, 700*ms, by(1))
	got := s.analyze()
	assertConserved(t, got)
	assert.Equal(t, blames{1: 20 * ms}, charged(got))
	assert.Equal(t, (690+190)*ms, got.Totals.External, "while the one who signals sleeps")
	assert.Equal(t, 300*ms, got.Totals.Open)
}

func TestDeadlocks(t *testing.T) {
	two := newScene(1000*ms, 1, 2, 3)
	two.wait(1, mutex(2), 100*ms, 0, open, owner(2))
	two.wait(2, mutex(1), 200*ms, 0, open, owner(1))
	two.wait(3, mutex(1), 300*ms, 0, open, owner(1)) // an innocent that hits upon them
	got := two.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"deadlock 1 2"}, told(got))
	assert.Equal(t, blames{2: (900 + 700) * ms, 1: 800 * ms}, charged(got))
	assert.Equal(t, 1, got.Findings[0].Culprit.TID)
	assert.InDelta(t, trust[byOwner], got.Findings[0].Confidence, 0.001)
	assert.Len(t, got.Findings[0].Victims, 3, "those in the circle are victims too")

	three := newScene(1000*ms, 1, 2, 3)
	three.wait(1, mutex(2), 0, 0, open, owner(2))
	three.wait(2, mutex(3), 0, 0, open, owner(3))
	three.wait(3, mutex(1), 0, 0, open, owner(1))
	got = three.analyze()
	assertConserved(t, got)
	assert.Equal(t, []string{"deadlock 1 2 3"}, told(got))
	assert.Equal(t, blames{1: 1000 * ms, 2: 1000 * ms, 3: 1000 * ms}, charged(got))

	apart := newScene(1000*ms, 1, 2, 3, 4)
	apart.wait(1, mutex(2), 0, 0, open, owner(2))
	apart.wait(2, mutex(1), 0, 0, open, owner(1))
	apart.wait(3, mutex(4), 500*ms, 0, open, owner(4))
	apart.wait(4, mutex(3), 500*ms, 0, open, owner(3))
	assert.Equal(t, []string{"deadlock 1 2", "deadlock 3 4"}, told(apart.analyze()))

	// A chain that ends is none, and neither is one whose owner word is stale.
	chain := newScene(1000*ms, 1, 2, 3)
	chain.wait(1, mutex(2), 0, 0, open, owner(2))
	chain.wait(2, mutex(3), 0, 0, open, owner(3))
	assert.Equal(t, []string{"lock-holder 3"}, told(chain.analyze()))
	stale := newScene(1000*ms, 1, 2, 3)
	stale.wait(1, mutex(2), 0, 0, open, owner(2))
	stale.wait(3, mutex(2), 0, 1*ms, by(2))
	stale.wait(2, mutex(1), 2*ms, 0, open, owner(1))
	for _, f := range stale.analyze().Findings {
		assert.NotEqual(t, contention.Deadlock, f.Class)
	}
}

func TestNothingAndNonsense(t *testing.T) {
	t.Run("empty trace", func(t *testing.T) {
		got := Analyze(&contention.Trace{}, Options{})
		assert.Empty(t, got.Findings)
		assert.Empty(t, got.Charges)
		assertConserved(t, got)
	})
	t.Run("window of no length", func(t *testing.T) {
		s := convoy(mutex(1), 10, 50*ms, ms, ms)
		s.Window.End = s.Window.Begin
		got := s.analyze()
		assert.Empty(t, got.Findings)
		assert.Zero(t, got.Totals.WaitTime)
		s.Window.End -= ms
		assert.Empty(t, s.analyze().Findings)
	})
	t.Run("unknown threads and stacks", func(t *testing.T) {
		s := convoy(mutex(1), 10, 50*ms, ms, ms)
		want := told(s.analyze())
		s.Threads = nil
		for i := range s.Waits {
			s.Waits[i].Stack, s.Waits[i].Waker.Stack, s.Waits[i].KernelStack = 99, -3, 1<<30
		}
		s.Samples = []contention.Sample{{Thread: id(1), At: origin + 20*ms, Stack: 7}, {Thread: id(66), At: origin, Stack: -1}}
		got := s.analyze()
		assert.Equal(t, want, told(got))
		assert.Equal(t, contention.Thread{TID: 1, Start: time.Second}, *got.Findings[0].Culprit)
		assert.Empty(t, got.Findings[0].Stacks)
		assertConserved(t, got)
	})
	t.Run("times that cannot be", func(t *testing.T) {
		s := newScene(100*ms, 1, 2, 3)
		s.wait(2, mutex(1), 50*ms, 20*ms, by(1))       // woken before it began
		s.wait(1, mutex(1), -20*time.Second, 0, by(2)) // began before boot
		s.wait(3, mutex(1), 0, -20*time.Second, by(2)) // woken before boot
		s.wait(1, mutex(1), 10*ms, 90*ms, by(2))       // two at once
		s.wait(1, mutex(1), 20*ms, 60*ms, by(1))       // woken by itself
		s.wait(2, mutex(1), 200*ms, 300*ms, open)      // begins behind the window
		s.preempted(2, 2, 50*ms, 20*ms)                // by itself, backwards
		s.preempted(2, 1, 0, 100*ms)
		got := s.analyze()
		assertConserved(t, got)
		assert.Equal(t, 120*ms, got.Totals.WaitTime)
	})
}

func TestChoiceIsListedAndNotAddedUp(t *testing.T) {
	s := newScene(1000*ms, 1)
	s.wait(1, sleep(1), 0, 700*ms)
	s.wait(1, contention.Resource{Kind: contention.Poll, TID: 1}, 700*ms, 900*ms)
	got := s.analyze()
	assert.Empty(t, got.Findings)
	assert.Zero(t, got.Totals.Waits)
	assert.Zero(t, got.Totals.WaitTime)
	assert.Equal(t, map[contention.Kind]contention.KindTotal{
		contention.Timer: {Waits: 1, WaitTime: 700 * ms}, contention.Poll: {Waits: 1, WaitTime: 200 * ms},
	}, got.Totals.ByKind)
}

func TestMinShare(t *testing.T) {
	s := newScene(1000*ms, 1, 2)
	s.wait(2, mutex(1), 0, 30*ms, by(1))
	assert.Empty(t, Analyze(&s.Trace, Options{}).Findings)
	assert.Len(t, Analyze(&s.Trace, Options{MinShare: 0.02}).Findings, 1)

	// However short the window, less than a millisecond is not worth it.
	s = newScene(ms, 1, 2)
	s.wait(2, mutex(1), 0, 999*ms/1000, by(1))
	assert.Empty(t, s.analyze().Findings)
}

func TestFinding(t *testing.T) {
	s := newScene(1000*ms, 1, 2, 3).repeat(100*ms, func(s *scene, from time.Duration) {
		s.wait(2, mutex(2), from+5*ms, from+80*ms, by(1))
		s.wait(3, mutex(1), from+10*ms, from+80*ms, by(2), stack(1))
	})
	s.Stacks = []contention.Stack{nil, {{Function: "f"}}}
	got := s.analyze()
	require.Len(t, got.Findings, 1)
	f := got.Findings[0]
	assert.Equal(t, 1, f.Rank)
	assert.Equal(t, mutex(2), f.Resource, "that which the culprit itself held")
	assert.InDelta(t, 1, f.Share, 1e-9)
	assert.InDelta(t, 0.99, f.Confidence, 1e-9)
	assert.Equal(t, []contention.Victim{
		{Thread: s.Threads[1], Wait: 750 * ms, Count: 10},
		{Thread: s.Threads[2], Wait: 700 * ms, Count: 10, Stack: s.Stacks[1]},
	}, f.Victims)
	assert.Equal(t, []contention.Hop{
		{Waiter: 2, Holder: 1, Resource: mutex(2), Wait: 1450 * ms, Evidence: contention.ByRelease},
		{Waiter: 3, Holder: 2, Resource: mutex(1), Wait: 700 * ms, Evidence: contention.ByRelease},
	}, f.Chain)

	s.Loss = contention.Loss{UnmatchedWake: 20}
	assert.InDelta(t, 0.99*math.Sqrt(0.5), s.analyze().Findings[0].Confidence, 1e-9, "of half of the wake-ups it is not known who made them")
	s.Loss = contention.Loss{RingFull: 5}
	assert.InDelta(t, 0.99*math.Pow(20.0/25, 3), s.analyze().Findings[0].Confidence, 1e-9, "a fifth is lost")
	s.Loss = contention.Loss{RingFull: 6}
	assert.Empty(t, told(s.analyze()), "the accusation is more likely wrong than right")
	assert.Equal(t, f.Blame, s.analyze().Charges[0].Blame)

	for i := range s.Waits {
		s.Waits[i].Waker.SameObject = false
	}
	s.Loss = contention.Loss{}
	assert.InDelta(t, 0.8, s.analyze().Findings[0].Confidence, 1e-9, "a wake-up from elsewhere is less of a proof")
}

func TestPrivateWordsAreToldAsOne(t *testing.T) {
	// 1 holds the lock for long, and each time another of eight waits on its own word.
	s := newScene(1000*ms, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	for i := range 8 {
		from := time.Duration(i) * 100 * ms
		s.wait(2+i, futex(2+i), from, from+90*ms, by(1))
		s.wait(1, futex(1), from+90*ms, from+91*ms, by(2+i))
	}
	got := s.analyze()
	assert.Equal(t, []string{"lock-holder 1"}, told(got))
	assert.Equal(t, 720*ms, got.Findings[0].Blame)
	assert.Equal(t, futex(2), got.Findings[0].Resource, "of words alike the first")
}
