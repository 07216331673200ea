// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A ping-pong is played so long in one state, in milliseconds. What begins with a state,
// as files that are read for the first time, is over after the warm-up.
const (
	warmUp = 300
	leg    = 500
)

// BenchmarkPingPong compares the CPU time a round trip takes observed, and with empty
// programs attached, with that of neither, in turns. What it reports are medians over
// the rounds: run it with -benchtime 15x or more.
func BenchmarkPingPong(b *testing.B) {
	needBPF(b)
	for _, way := range []string{"futex", "pipe"} {
		b.Run(way, func(b *testing.B) { benchmarkPingPong(b, way) })
	}
}

func benchmarkPingPong(b *testing.B, way string) {
	p := startCommand(b, exec.Command(compile(b, "pingpong"), way))
	states := []struct {
		name   string
		attach func() (io.Closer, error)
	}{
		{"none", func() (io.Closer, error) { return io.NopCloser(nil), nil }},
		{"empty", func() (io.Closer, error) { return AttachEmpty() }},
		{"observed", func() (io.Closer, error) { return Observe(p.pid, Options{}) }},
		{"frame-pointers", func() (io.Closer, error) { return Observe(p.pid, Options{FramePointers: true}) }},
		{"accounting", func() (io.Closer, error) { return NewLockCollector() }},
		{"costed", func() (io.Closer, error) { return Observe(p.pid, Options{Cost: true}) }},
		{"costed-frame-pointers", func() (io.Closer, error) { return Observe(p.pid, Options{Cost: true, FramePointers: true}) }},
	}
	ratios, nanos := make(map[string][]float64), make(map[string][]float64)
	for b.Loop() {
		cpu := make(map[string]float64)
		for _, state := range states {
			watching, err := state.attach()
			require.NoError(b, err)
			playLeg(b, p, warmUp)
			played := playLeg(b, p, leg)
			cpu[state.name] = float64(played["cpu_ns"]) / float64(played["rounds"])
			if kind, ok := strings.CutPrefix(state.name, "costed"); ok {
				cost, err := watching.(*Observation).Cost()
				require.NoError(b, err)
				for name, c := range cost.Programs {
					if c.Runs > 0 {
						nanos[name+kind] = append(nanos[name+kind], float64(c.Time)/float64(c.Runs))
					}
				}
			}
			require.NoError(b, watching.Close())
		}
		for name, t := range cpu {
			ratios[name] = append(ratios[name], t/cpu["none"])
		}
		ratios["observed/empty"] = append(ratios["observed/empty"], cpu["observed"]/cpu["empty"])
	}
	for _, name := range []string{"empty", "observed", "accounting", "frame-pointers"} {
		b.ReportMetric(middle(ratios[name]), name+"/none")
	}
	b.ReportMetric(middle(ratios["observed/empty"]), "observed/empty")
	for _, name := range []string{
		switchProgram(b), "sched_waking", switchProgram(b) + "-frame-pointers", "sched_waking-frame-pointers",
	} {
		b.ReportMetric(middle(nanos[name]), name+"-ns")
	}
	b.ReportMetric(0, "ns/op") // means nothing here
}

func playLeg(b *testing.B, p *target, milliseconds int) map[string]uint64 {
	_, err := fmt.Fprintln(p.stdin, milliseconds)
	require.NoError(b, err)
	return p.read(b)
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
