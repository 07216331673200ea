// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// swept is a folder of one scenario at three hold times, of which ten of ten, five of ten
// and none are found.
func swept() *results.Folder {
	f := &results.Folder{Plan: results.Plan{RunID: "sweep", Analyzers: []string{"rca"}}}
	for level, hits := range []int{0, 5, 10} {
		for i := range 10 {
			run := results.Run{
				Index: len(f.Plan.Runs), Scenario: "mutex-hold", Variant: contention.FaultVariant, Seed: uint64(i),
				Dose: contention.Dose{Hold: time.Millisecond << (2 * level), Contenders: 4},
			}
			verdict := results.Hit
			if i >= hits {
				verdict = results.Miss
			}
			f.Plan.Runs = append(f.Plan.Runs, run)
			f.Records = append(f.Records, results.Record{Run: run, Analyzer: "rca", Verdict: verdict})
		}
	}
	return f
}

func TestThresholdsStandByTheCurve(t *testing.T) {
	f := swept()
	response := responses(f, "rca")[0]
	require.Len(t, response.Thresholds, 1)
	assert.Equal(t, "4 contenders", response.Thresholds[0].Name)
	assert.Equal(t, 30, response.Thresholds[0].Runs)
	assert.Equal(t, results.HoldBound{Hold: 4 * time.Millisecond}, response.Thresholds[0].Half.Value)

	family := families(results.DetectionThresholds(f), "rca")
	require.Len(t, family, 1)
	assert.Equal(t, "mutex", family[0].Name)
	assert.Empty(t, families(results.DetectionThresholds(f), "last-waker"))

	var page bytes.Buffer
	require.NoError(t, Write(&page, []Input{{Folder: f}}, Options{Timelines: None}))
	half := response.Thresholds[0].Half
	row := fmt.Sprintf(`<th scope="row">4 contenders</th><td>4 ms<small>%s to %s</small></td>`, boundText(half.Low), boundText(half.High))
	assert.Contains(t, page.String(), row)
	assert.Contains(t, page.String(), `<th scope="row">mutex</th><td>4 ms<small>`)
}

func TestBoundText(t *testing.T) {
	assert.Equal(t, "3.21 ms", boundText(results.HoldBound{Hold: 3210 * time.Microsecond}))
	assert.Equal(t, "< 780 µs", boundText(results.HoldBound{Hold: 780 * time.Microsecond, Beyond: results.BelowLowest}))
	assert.Equal(t, "> 1 s", boundText(results.HoldBound{Hold: time.Second, Beyond: results.NotReached}))
}

func TestThresholdsAreInTheOrderOfTheLines(t *testing.T) {
	list := []results.DetectionThreshold{{Contenders: 2}, {Contenders: 4, Noise: 32}, {Contenders: 8}}
	var names []string
	for _, threshold := range crowds(list) {
		names = append(names, threshold.Name)
	}
	assert.Equal(t, []string{"2 contenders", "8 contenders", "4 contenders, 32 threads of noise"}, names)
}
