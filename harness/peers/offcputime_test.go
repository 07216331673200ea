// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestParseOffcputime(t *testing.T) {
	a := captured(t, "offcputime.txt", parseOffcputime, mutexHold(20208, inARow(20209)...))
	assert.Equal(t, []string{
		"w5[20214] 1.31166s", "w3[20212] 1.147141s", "w0[20209] 906.278ms", "w4[20213] 835.705ms", "w8[20217] 833.744ms",
		"w1[20210] 641.342ms", "w7[20216] 516.385ms", "w2[20211] 458.074ms", "w6[20215] 162.462ms",
	}, ranking(a))
	frames := a.Findings[0].Stacks[0].Frames
	assert.Equal(t, "clock_nanosleep", frames[len(frames)-1].Function)
	assert.Equal(t, contention.HoldingOffCPU, a.Findings[0].Stacks[0].Role)

	others := captured(t, "offcputime.txt", parseOffcputime, mutexHold(20208, 20209))
	assert.Equal(t, []string{"w0[20209] 906.278ms"}, ranking(others), "where all are watched, only the target counts")
}

func TestParseOffcputimeOfOddities(t *testing.T) {
	watched := mutexHold(1, 2)
	list, err := parseOffcputime(strings.NewReader("    -                odd (3) (2)\n        5\n\n"), watched)
	require.NoError(t, err)
	assert.Equal(t, 5*time.Microsecond, list[0].measure)
	for text, want := range map[string]string{
		"    -                w0 (2)\n":                                  io.ErrUnexpectedEOF.Error(),
		"    -                w0 (2)\n        many\n":                    "time of thread 2",
		"    -                w0 (2)\n        18446744073709551615\n":    "18446744073709551615 µs are out of range",
		"    -                w0 (99999999999999999999999)\n        5\n": "out of range",
	} {
		_, err := parseOffcputime(strings.NewReader(text), watched)
		assert.ErrorContains(t, err, want)
	}
}

func FuzzParseOffcputime(f *testing.F) { fuzzParser(f, "offcputime.txt", parseOffcputime) }
