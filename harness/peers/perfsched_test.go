// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParsePerfLatency(t *testing.T) {
	a := captured(t, "perf-sched-latency.txt", parsePerfLatency, mutexHold(23934, inARow(23935)...))
	assert.Equal(t, []string{
		"w6[23941] 391µs", "w0[23935] 74µs", "w2[23937] 63µs", "w3[23938] 32µs", "w8[23943] 32µs", "w4[23939] 22µs",
		"w1[23936] 20µs", "w7[23942] 11µs", "mutex-hold[23934] 5µs",
	}, ranking(a), "neither w5, which never lacked a CPU, nor what is not the target's")
}

func TestParsePerfLatencyRefuses(t *testing.T) {
	row := func(tid, delay string) string {
		return "  w0:" + tid + " |  1.000 ms | 1 | avg: " + delay + " ms | max: 1 ms |\n"
	}
	for _, text := range []string{row("99999999999999999999", "1.0"), row("2", "99999999999999999999.0")} {
		_, err := parsePerfLatency(strings.NewReader(text), mutexHold(1, 2))
		assert.Error(t, err)
	}
}

// fakePerf does what perf does: it records until it is interrupted, and by that signal ends.
const fakePerf = `
case "$2" in
record)
	while [ "$1" != -o ]; do shift; done
	read -r command <&3 && [ "$command" = enable ] || exit 1
	echo recorded >"$2"
	trap 'kill $!; exit 130' INT
	echo ack >&4
	sleep 1000 & wait ;;
latency)
	echo "  w0:2 | 1.000 ms | 1 | avg: 0.500 ms | max: 1 ms |"
	cat "$5" ;;
esac
`

func TestPerfSession(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	s, err := startPerfSched(t.Context(), fakeTool(t, "perf", fakePerf), target{})
	require.NoError(t, err)
	said, err := s.finish(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "  w0:2 | 1.000 ms | 1 | avg: 0.500 ms | max: 1 ms |\nrecorded\n", string(said))
	require.NoError(t, s.close())
	require.NoError(t, s.close(), "twice")
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestPerfSessionThatCannot(t *testing.T) {
	_, err := startPerfSched(t.Context(), fakeTool(t, "perf", "echo no tracefs >&2; exit 1"), target{})
	assert.ErrorIs(t, err, errNeverWatched)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = startPerfSched(ctx, fakeTool(t, "perf", "sleep 1000"), target{})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

func FuzzParsePerfLatency(f *testing.F) { fuzzParser(f, "perf-sched-latency.txt", parsePerfLatency) }
