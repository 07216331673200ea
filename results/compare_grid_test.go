// SPDX-License-Identifier: Apache-2.0

package results

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompareGrid(t *testing.T) {
	pipes, blamed := play(5, "pipe-slow", fault, Hit), play(5, "pipe-slow", fault, Hit)
	for i := range pipes {
		pipes[i].Blame, blamed[i].Blame = Blame{True: 1}, Blame{True: 1, Error: 0.04}
	}
	before := onKernel("run-a", "6.18.0", play(10, "mutex-hold", fault, Hit), play(10, "mutex-hold", twin, CorrectReject), pipes, play(2, "control-quiet", control, CorrectReject))
	after := onKernel("run-b", "5.10.0", play(10, "mutex-hold", fault, Miss), play(10, "mutex-hold", twin, CorrectReject), blamed, play(2, "control-quiet", control, Unsupported))
	before.Env.Accel, after.Env.Accel = "kvm", "tcg"
	after.Incomplete = true
	var b strings.Builder
	require.NoError(t, compared(t, true, before, after).Write(&b))
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	assert.Equal(t, strings.TrimLeft(`
The environments differ, so a change below need not come from the kernel or the tool:
  accel  tcg  kvm

               5.10.0                                                              * 6.18.0
               run-b (incomplete)                                                  run-a
               rca                                                                 rca
SCENARIO       AC@1                    FAR          BLAME ERR        CHANGE        AC@1       FAR        BLAME ERR
mutex-hold     0.00 n=10 p=0.00391m !  0.00 n=10    0.0%             worse         1.00 n=10  0.00 n=10  0.0%
pipe-slow      1.00 n=5                -            4.0% p=0.00794w  unknown (44)  1.00 n=5   -          0.0%
control-quiet  unsupported             unsupported  -                unknown       -          0.00 n=2   -

* base; p after Holm, by exact McNemar where seeds agree (m), else Fisher (f), of blame errors by Mann–Whitney (w)
! significant loss; unchanged: a change by 20 points is ruled out; unknown: so many runs would show one

run-b, rca:
  1 worse: mutex-hold
  0 better
  0 unchanged
  2 unknown
`, "\n"), strings.Join(lines[:19], "\n")+"\n")
	assert.Contains(t, b.String(), "gate: mutex-hold: run-b finds 0.00 [0.00,0.28] (p 0.00391, mcnemar)\n")
	assert.ErrorIs(t, compared(t, false, before, after).Write(deafWriter{}), errDeaf)
}
