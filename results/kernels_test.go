// SPDX-License-Identifier: Apache-2.0

package results

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteKernels(t *testing.T) {
	scores := Scores{Overall: []Summary{Summarize([]Record{
		{Run: Run{Variant: "fault"}, Verdict: Lost}, {Run: Run{Variant: "twin"}, Verdict: CorrectReject},
	})}}
	var b strings.Builder
	require.NoError(t, WriteKernels(&b, []KernelScores{
		{MatrixKernel{Release: "6.1.0", Folder: "6.1.0", Boots: 2}, Env{Accel: "tcg", ClockSource: "tsc", Speed: &Speed{Switch: 5 * time.Microsecond}}, scores},
		{MatrixKernel{Release: "6.2.0"}, Env{}, Scores{}},
	}))
	assert.Regexp(t, `6\.1\.0 +2 +.*tcg +tsc +5µs +2 +1 lost`, b.String())
	assert.NotContains(t, b.String(), "6.2.0", "nothing was planned")
}
