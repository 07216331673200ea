// SPDX-License-Identifier: Apache-2.0

package scenarios_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/scenarios"
)

func TestSweep(t *testing.T) {
	const ms = time.Millisecond
	var want []contention.Dose
	want = append(want, contention.Dose{Hold: 50 * ms, Contenders: 4})
	for _, hold := range []time.Duration{50 * ms / 64, 50 * ms / 16, 50 * ms / 4, 50 * ms, 75 * ms} {
		for _, n := range []int{4, 2, 8} {
			want = append(want, contention.Dose{Hold: hold, Contenders: n})
		}
		want = append(want, contention.Dose{Hold: hold, Contenders: 4, Noise: 32})
	}
	s, known := scenarios.Find("mutex-hold")
	require.True(t, known)
	assert.ElementsMatch(t, append(want[:13], want[14:]...), s.Sweep(), "1500 ms have room for 20 holds of 75 ms")
}

func TestSweepVariesWhatIsDeclared(t *testing.T) {
	for _, s := range scenarios.Catalogue() {
		doses := s.Sweep()
		assert.Equal(t, s.Doses[0], doses[0], s.Name)
		seen := map[contention.Dose]bool{}
		for _, d := range doses {
			assert.False(t, seen[d], "%s: %+v twice", s.Name, d)
			seen[d] = true
			assert.Equal(t, s.Control, d.Hold == 0, s.Name)
			assert.LessOrEqual(t, 20*d.Hold, s.Duration, s.Name)
		}
		if s.Family() == "deadlock" || s.Control {
			for _, d := range doses {
				assert.Equal(t, s.Doses[0].Hold, d.Hold, "%s: to hold for longer is not to be locked up more", s.Name)
			}
		}
	}
	control, known := scenarios.Find("control-quiet")
	require.True(t, known)
	assert.Equal(t, []contention.Dose{{Contenders: 4}, {Contenders: 4, Noise: 32}}, control.Sweep())
}

// Noise switches and is no scenario: it has no culprit and is not graded.
func TestNoise(t *testing.T) {
	s := scenarios.Scenario{Name: "noise", Workload: scenarios.Noise, Doses: []contention.Dose{{Contenders: 32}}}
	l := whole(t, s, contention.ControlVariant)
	assert.Len(t, l.threads, 32)
	var switches uint64
	for _, th := range l.threads {
		switches += th.Switches
	}
	assert.Greater(t, switches, uint64(32*5), "in 390 ms")

	p := start(t, s, contention.ControlVariant, 1, time.Hour)
	p.letGo()
	require.NoError(t, p.in.Close())
	assert.Equal(t, 3, p.exit(), "cut short")
}
