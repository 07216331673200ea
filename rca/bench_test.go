// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"fmt"
	"testing"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// BenchmarkAnalyze measures how many waits are explained in a second.
func BenchmarkAnalyze(b *testing.B) {
	for _, waits := range []int{1e4, 1e5, 1e6} {
		for _, shape := range []struct {
			name string
			make func(waits int) *contention.Trace
		}{{"convoy", convoyOf8}, {"resources", manyResources}} {
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
