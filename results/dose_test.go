// SPDX-License-Identifier: Apache-2.0

package results

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two doses are two benchmarks: their mean would be of neither.
func TestBenchOfASweep(t *testing.T) {
	f := folderOf(rcaOnly, play(4, "m", fault, Hit)...)
	for i := range f.Records {
		f.Plan.Runs[i].Dose = ms(float64(1 + i%2))
		f.Records[i].Dose = f.Plan.Runs[i].Dose
	}
	f.Records[1].Verdict, f.Records[3].Verdict = Invalid, Invalid
	var b strings.Builder
	require.NoError(t, WriteBench(&b, f))
	assert.Contains(t, b.String(), "BenchmarkDiagnose/scenario=m/hold-ns=1000000/contenders=4/noise=0 2 ")
	assert.NotContains(t, b.String(), "hold-ns=2000000", "no valid run")
}
