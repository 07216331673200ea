// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// BenchmarkAnalyze measures how many waits are explained in a second.
func BenchmarkAnalyze(b *testing.B) {
	for _, shape := range []struct {
		name  string
		make  func(waits int) *contention.Trace
		waits []int
	}{
		{"convoy", convoyOf8, []int{1e4, 1e5, 1e6}},
		{"resources", manyResources, []int{1e4, 1e5, 1e6}},
		{"crowd400", crowdOf(400), []int{1e4, 1.7e5}}, // 11 s of a lock
	} {
		for _, waits := range shape.waits {
			b.Run(fmt.Sprintf("%s/waits=%d", shape.name, waits), func(b *testing.B) {
				trace := shape.make(waits)
				trace.Sort()
				b.ReportAllocs()
				for b.Loop() {
					Analyze(trace, Options{})
				}
				b.ReportMetric(float64(len(trace.Waits))*float64(b.N)/b.Elapsed().Seconds(), "waits/s")
			})
		}
	}
}

// convoyOf8 is one lock that goes round eight threads: each wait spans seven releases.
func convoyOf8(waits int) *contention.Trace {
	return &convoy(mutex(1), waits/8, 50*ms, ms, ms, ms, ms, ms, ms, ms).Trace
}

// manyResources is eight threads that meet in pairs on a thousand locks and a hundred
// pipes.
func manyResources(waits int) *contention.Trace {
	s := newScene(time.Duration(waits)*ms/4, 1, 2, 3, 4, 5, 6, 7, 8)
	for i := range waits / 4 {
		at := time.Duration(i) * ms
		lock := mutex(i % 1000)
		s.wait(1+i%4, lock, at, at+ms*8/10, by(5+i%4))
		s.wait(5+(i+1)%4, data(uint64(i%100)), at, at+ms*7/10, by(1+(i+2)%4))
		s.wait(5+(i+2)%4, lock, at, at+ms*9/10, by(1+i%4))
		s.wait(5+(i+3)%4, sleep(5+(i+3)%4), at, at+ms/2)
	}
	return &s.Trace
}

// crowdOf is a lock that many threads want all of the time. Each holds it for 30 to 100
// us and hands it on to who has waited longest, which first waits for a CPU that one of
// four others has.
func crowdOf(threads int) func(waits int) *contention.Trace {
	return func(waits int) *contention.Trace {
		const us = time.Microsecond
		random := rand.New(rand.NewPCG(1, 2))
		s := newScene(0)
		since := make([]time.Duration, threads+1)
		for thread := 1; thread <= threads; thread++ {
			s.join(ours, thread)
		}
		var now time.Duration
		for i := range waits {
			holder, next := 1+i%threads, 1+(i+1)%threads
			now += time.Duration(30+random.IntN(71)) * us
			s.wait(next, mutex(1), since[next], now, by(holder))
			w := &s.Waits[i]
			w.Ran += time.Duration(random.IntN(10)) * us
			w.Occupant = id(threads + 1 + random.IntN(4))
			since[holder] = now + time.Duration(random.IntN(20))*us
		}
		s.Window.End = s.Window.Begin + now
		return &s.Trace
	}
}
