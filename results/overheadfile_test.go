// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const overheadText = `{"schema":"ebpf-rca/overhead/1","workload":"mutex-hold","observer":"default","ratio":1.19,"ci":[1.16,1.22],"pairs":15,"noise_floor":[0.99,1.01],"ns_per_event":{"sched_switch":350},"loss":{}}
`

func TestReadOverhead(t *testing.T) {
	lines, warnings, err := ReadOverhead(strings.NewReader(overheadText +
		strings.Replace(overheadText, "overhead/1", "overhead/2", 1) + "{\n" + strings.TrimSuffix(overheadText, "\n")))
	require.NoError(t, err)
	want := OverheadLine{
		Schema: OverheadSchema, Workload: "mutex-hold", Observer: "default", Ratio: 1.19, CI: [2]float64{1.16, 1.22},
		Pairs: 15, NoiseFloor: [2]float64{0.99, 1.01}, NsPerEvent: map[string]float64{"sched_switch": 350},
	}
	assert.Equal(t, []OverheadLine{want, want}, lines, "a last line needs no end")
	require.Len(t, warnings, 2)
	assert.Contains(t, warnings[0], `line 2: unknown schema "ebpf-rca/overhead/2"`)
	assert.Contains(t, warnings[1], "line 3: unexpected end of JSON input")

	_, _, err = ReadOverhead(iotest.ErrReader(assert.AnError))
	require.ErrorIs(t, err, assert.AnError)
}

func TestOverheadWithinNoise(t *testing.T) {
	for ratio, want := range map[float64]bool{0.98: false, 0.99: true, 1: true, 1.01: true, 1.02: false} {
		assert.Equal(t, want, OverheadLine{Ratio: ratio, NoiseFloor: [2]float64{0.99, 1.01}}.WithinNoise(), ratio)
	}
}

func TestOverheadTooNoisy(t *testing.T) {
	assert.False(t, OverheadLine{NoiseFloor: [2]float64{0.98, 1.02}}.TooNoisy())
	assert.True(t, OverheadLine{NoiseFloor: [2]float64{0.97, 1.03}}.TooNoisy())
}

func TestOverheadLineThatIsAbsent(t *testing.T) {
	text, err := json.Marshal(OverheadLine{Schema: OverheadSchema, Workload: "w", Observer: "peer:x", Absent: "it is not installed"})
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text),
		`{"schema":"ebpf-rca/overhead/1","workload":"w","observer":"peer:x","absent":"it is not installed","loss":{`), string(text))
}

func FuzzReadOverhead(f *testing.F) {
	f.Add([]byte(overheadText + "\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, warnings, err := ReadOverhead(bytes.NewReader(data))
		require.NoError(t, err)
		require.LessOrEqual(t, len(lines)+len(warnings), bytes.Count(data, []byte("\n"))+1)
	})
}
