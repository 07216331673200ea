// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestParseOffCPU(t *testing.T) {
	a := captured(t, "offcpu.txt", bpftraceOffCPU.parse, mutexHold(22916, inARow(22917)...))
	assert.Equal(t, []string{
		"w5[22922] 1.203141095s", "w4[22921] 986.887945ms", "w8[22925] 986.747011ms",
		"w3[22920] 985.637657ms", "w0[22917] 985.411177ms", "w7[22924] 12.584µs",
	}, ranking(a))
	assert.Equal(t, []contention.WeightedStack{{
		Role: contention.HoldingOffCPU, Weight: 12584, Frames: contention.Stack{{Function: "digest_block"}},
	}}, a.Findings[5].Stacks)
}

func TestParseOffWake(t *testing.T) {
	a := captured(t, "offwake.txt", bpftraceOffWake.parse, mutexHold(23144, inARow(23145)...))
	require.Greater(t, len(a.Findings), 8)
	assert.Equal(t, []string{
		"sysbench[23377] 1.390932153s", "sysbench[23376] 1.191992835s", "w6[23151] 1.062538858s",
		"sysbench[23379] 718.8373ms", "w2[23147] 355.031633ms",
	}, ranking(a)[:5], "who runs when an interrupt comes passes for a waker")
	assert.Equal(t, 23144, a.Findings[2].Culprit.PID)
	assert.Zero(t, a.Findings[0].Culprit.PID, "not the target's")
}

// A name may hold what stands between the parts.
func TestParseTimesOfAnOddName(t *testing.T) {
	list, err := parseTimes(contention.ReleaseStack)(strings.NewReader(
		"watching\n@time[12, a, b]: 7, \n    hold+1\n]: 5\n@time[12, a, b]: 7, ]: 6\n]: 99\n"), target{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, contention.Thread{TID: 12, Comm: "a, b]: 7"}, list[0].thread)
	assert.Equal(t, time.Duration(11), list[0].measure)
	for _, bad := range []string{"@time[99999999999999999999, a, \n]: 5\n", "@time[1, a, \n]: 99999999999999999999\n"} {
		_, err := parseTimes(contention.ReleaseStack)(strings.NewReader(bad), target{})
		assert.ErrorContains(t, err, "out of range")
	}
}

func TestPreamble(t *testing.T) {
	assert.Equal(t, "BEGIN { @target[7] = 1; @target[9] = 1; }\n"+
		"interval:ms:50 /!@watching/ { @watching = 1; printf(\"watching\\n\"); }\n", preamble(target{pids: []int{7, 9}}))
}

func FuzzParseTimes(f *testing.F) {
	fuzzParser(f, "offwake.txt", parseTimes(contention.ReleaseStack))
}
