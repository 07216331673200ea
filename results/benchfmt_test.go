// SPDX-License-Identifier: Apache-2.0

package results

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

func TestWriteBenchReadsBack(t *testing.T) {
	records := join(
		play(6, "mutex-hold", fault, Hit), play(1, "mutex-hold", fault, Miss),
		play(7, "mutex-hold", twin, CorrectReject),
		play(3, "pipe chain/x", fault, Infra))
	for i := range records {
		records[i].DetectedAfter = 200 * time.Millisecond
		records[i].Overhead = Overhead{NsPerEvent: map[string]float64{"sched_switch": 350}, Ratio: 1.1, CPUShare: .01}
	}
	f := folderOf(rcaOnly, records...)
	f.Env = Env{KernelRelease: "6.18.44", Accel: "kvm\nnested"}

	var b strings.Builder
	require.NoError(t, WriteBench(&b, f))
	reader := benchfmt.NewReader(strings.NewReader(b.String()), "bench.txt")
	var lines []*benchfmt.Result
	better := map[string]string{}
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			lines = append(lines, rec.Clone())
		case *benchfmt.UnitMetadata:
			better[rec.Unit] = rec.Value
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	require.NoError(t, reader.Err())
	assert.Equal(t, "higher", better["ac@1"])
	assert.Equal(t, "lower", better["far"])

	require.Len(t, lines, 2, "seven seeds are two blocks, and what never ran has no line")
	assert.Equal(t, "Diagnose/scenario=mutex-hold", string(lines[0].Name))
	for key, want := range map[string]string{"kernel": "6.18.44", "accel": "kvm nested", "analyzer": "rca", "commit": "", "run": ""} {
		assert.Equal(t, want, lines[0].GetConfig(key), key)
	}
	figures := func(line *benchfmt.Result) map[string]float64 {
		m := map[string]float64{}
		for _, v := range line.Values {
			m[v.Unit] = v.Value
		}
		return m
	}
	assert.Equal(t, map[string]float64{
		"ac@1": 1, "frame-ac@1": 0, "far": 0, "blame-error": 0, "tv-distance": 0, "valid": 1, "detected-sec": .2,
		"overhead-ratio": 1.1, "bpf-cpus": .01, "sched_switch-sec/event": 3.5e-7,
	}, figures(lines[0]))
	assert.Equal(t, 10, lines[0].Iters)
	assert.Equal(t, 4, lines[1].Iters)
	assert.Equal(t, .5, figures(lines[1])["ac@1"])
}

func TestScenarioKey(t *testing.T) {
	assert.Equal(t, "pipe_chain_x", scenarioKey("pipe chain/x"))
}

func TestOverheadOfAnEmulatedMachineIsNotExported(t *testing.T) {
	records := play(1, "m", fault, Hit)
	records[0].Overhead = Overhead{Ratio: 1.5, CPUShare: 0.1}
	f := folderOf(rcaOnly, records...)
	for accel, told := range map[string]bool{"kvm": true, "tcg": false} {
		f.Env.Accel = accel
		var b strings.Builder
		require.NoError(t, WriteBench(&b, f))
		assert.Equal(t, told, strings.Contains(b.String(), "overhead-ratio"), accel)
		assert.Contains(t, b.String(), "ac@1", accel)
	}
}
