// SPDX-License-Identifier: Apache-2.0

package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

func TestWriteBenchTellsOverhead(t *testing.T) {
	f := folderOf(rcaOnly, play(1, "m", fault, Hit)...)
	f.Dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(f.Dir, OverheadFile), []byte(
		`{"schema":"ebpf-rca/overhead/1","workload":"pipe pingpong","observer":"default","ratio":1.19,"pairs":16,"ns_per_event":{"sched_switch":350},"program_share":0.06,"cpu_share":0.01,"rss_bytes":40000000}
{"schema":"ebpf-rca/overhead/1","workload":"pipe pingpong","observer":"peer:x","absent":"it is not installed"}
damaged
`), 0o600))
	for accel, told := range map[string]int{"kvm": 1, "tcg": 0} {
		f.Env.Accel = accel
		var b strings.Builder
		require.NoError(t, WriteBench(&b, f))
		var lines []*benchfmt.Result
		for reader := benchfmt.NewReader(strings.NewReader(b.String()), "bench.txt"); reader.Scan(); {
			switch rec := reader.Result().(type) {
			case *benchfmt.Result:
				if strings.HasPrefix(string(rec.Name), "Overhead") {
					lines = append(lines, rec.Clone())
				}
			case *benchfmt.SyntaxError:
				t.Error(rec)
			}
		}
		require.Len(t, lines, told, accel)
		if told == 0 {
			continue
		}
		line := lines[0]
		assert.Equal(t, "Overhead/workload=pipe_pingpong/observer=default", string(line.Name))
		assert.Equal(t, 16, line.Iters)
		assert.Empty(t, line.GetConfig("analyzer"), "it is no analyser's")
		for unit, want := range map[string]float64{
			"overhead-ratio": 1.19, "bpf-cpus": 0.06, "observer-cpus": 0.01, "observer-B": 4e7, "sched_switch-sec/event": 3.5e-7,
		} {
			got, ok := line.Value(unit)
			assert.True(t, ok, unit)
			assert.InDelta(t, want, got, 1e-12, unit)
		}
	}
}

func TestWriteBenchWithOverheadThatCannotBeRead(t *testing.T) {
	f := folderOf(rcaOnly, play(1, "m", fault, Hit)...)
	f.Dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(f.Dir, OverheadFile), 0o700))
	require.ErrorContains(t, WriteBench(&strings.Builder{}, f), "read overhead.jsonl")
}
