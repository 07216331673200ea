// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

func TestResponses(t *testing.T) {
	f := &results.Folder{}
	add := func(scenario string, hold time.Duration, contenders int, verdicts ...results.Verdict) {
		for _, v := range verdicts {
			run := results.Run{Index: len(f.Plan.Runs), Scenario: scenario, Variant: contention.FaultVariant, Dose: contention.Dose{Hold: hold, Contenders: contenders}}
			f.Plan.Runs = append(f.Plan.Runs, run)
			f.Records = append(f.Records, results.Record{Run: run, Analyzer: "a", Verdict: v})
		}
	}
	add("one", time.Second, 2, results.Hit, results.Miss)
	add("many", time.Second, 4, results.Hit, results.Hit)
	add("many", time.Millisecond, 4, results.Hit, results.Miss, results.Invalid)
	add("many", time.Millisecond, 2, results.Miss)

	list := responses(f, "a")
	require.Len(t, list, 1, "a single dose has no curve")
	assert.Equal(t, "many", list[0].Scenario)
	assert.Equal(t, []dosed{
		{"hold 1 ms, 2 contenders", results.Wilson(0, 1)},
		{"hold 1 ms, 4 contenders", results.Wilson(1, 2)},
		{"hold 1 s, 4 contenders", results.Wilson(2, 2)},
	}, list[0].Table)
	assert.Equal(t, []tick{{60, "1 ms"}, {180, "1 s"}}, list[0].Chart.XTicks)
	require.Len(t, list[0].Chart.Series, 2)
	assert.Equal(t, "M64 90L184 0", list[0].Chart.Series[1].Line)
	assert.Empty(t, responses(f, "b"))

	assert.Equal(t, []tick{{20, "1 ns"}, {60, ""}, {100, "3 ns"}, {140, ""}, {180, "5 ns"}, {220, ""}}, spans([]time.Duration{1, 2, 3, 4, 5, 6}))

	add("many", time.Second, 4, results.Miss)
	last := len(f.Records) - 1
	f.Records[last].Dose.Noise = 32
	loud := responses(f, "a")[0]
	assert.Equal(t, dosed{"hold 1 s, 4 contenders, 32 threads of noise", results.Wilson(0, 1)}, loud.Table[3])
	assert.Equal(t, "4 contenders, 32 threads of noise", loud.Chart.Series[2].Name)
}
