// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestParseWakeuptime(t *testing.T) {
	a := captured(t, "wakeuptime.txt", parseWakeuptime, mutexHold(20329, inARow(20330)...))
	assert.Equal(t, []string{
		"results.test[0] 2.617737s", "w2[20332] 1.803949s", "w6[20336] 1.315762s", "w1[20331] 607.463ms", "w8[20338] 400.153ms",
		"w3[20333] 366.169ms", "w4[20334] 363.053ms", "w0[20330] 248.542ms", "sleep[0] 2.047ms",
	}, ranking(a))
}

// Two threads of a name cannot be told apart, and neither is accused. Who was woken but is
// not the target's does not count.
func TestParseWakeuptimeOfNames(t *testing.T) {
	watched := mutexHold(1, 2, 3)
	watched.threads = append(watched.threads, contention.Thread{PID: 1, TID: 4, Comm: "w1"})
	const text = "\n\ttarget:          w0\n\tffff wake+0x1\n\t          waker: w1\n\t7\n" +
		"\n\ttarget:          cc1\n\tffff wake+0x1\n\t          waker: w0\n\t9\n"
	list, err := parseWakeuptime(strings.NewReader(text), watched)
	require.NoError(t, err)
	assert.Equal(t, []string{"w1[0] 7µs"}, ranking(rank(list)))

	_, err = parseWakeuptime(strings.NewReader("\ttarget:          w0\n\t          waker: w1\n"), watched)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func FuzzParseWakeuptime(f *testing.F) { fuzzParser(f, "wakeuptime.txt", parseWakeuptime) }
