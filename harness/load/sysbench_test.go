// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What sysbench 1.0.20 prints.
const sysbenchText = `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

General statistics:
    total time:                          2.1533s
    total number of events:              2000

Latency (ms):
         min:                                    0.59
         avg:                                    4.30
         max:                                   13.63
         99th percentile:                        8.28
         sum:                                 8605.05
`

func TestParseSysbench(t *testing.T) {
	took, err := parseSysbench([]byte(sysbenchText))
	require.NoError(t, err)
	assert.Equal(t, Took{Wall: 2153300 * time.Microsecond, P99: 8280 * time.Microsecond}, took)
	_, err = parseSysbench([]byte("FATAL: unable to create 4 threads"))
	require.ErrorContains(t, err, `total time: there is none in "FATAL`)
	_, err = parseSysbench([]byte("    total time:     1.0s\n"))
	require.ErrorContains(t, err, "percentile: there is none")
}

func FuzzParseSysbench(f *testing.F) {
	f.Add([]byte(sysbenchText))
	f.Fuzz(func(t *testing.T, text []byte) {
		took, err := parseSysbench(text)
		if err == nil && (took.Wall < 0 || took.P99 < 0) {
			t.Errorf("%q: %v", text, took)
		}
	})
}

func TestSysbench(t *testing.T) {
	if _, err := exec.LookPath("sysbench"); err != nil {
		t.Skip("needs sysbench")
	}
	assert.Positive(t, do(t, sysbench{}).P99)
}

func TestSysbenchIsTold(t *testing.T) {
	fake(t, "sysbench", `echo "    total time:     $5s" | sed s/--events=/1./; echo "    99th percentile: 0.25"`)
	took := do(t, sysbench{})
	assert.Equal(t, 1200*time.Millisecond, took.Wall, "200 events")
	assert.Equal(t, 250*time.Microsecond, took.P99)
}

func TestSysbenchThatFails(t *testing.T) {
	for name, test := range map[string]struct{ script, says string }{
		"fails":         {"echo too many threads >&2; exit 1", "do sysbench: exit status 1: too many threads"},
		"says nonsense": {"echo fine", "read what sysbench says: total time"},
	} {
		t.Run(name, func(t *testing.T) {
			fake(t, "sysbench", test.script)
			source, err := sysbench{}.Open(t.Context())
			require.NoError(t, err)
			run, err := source.Start(t.Context(), 1)
			require.NoError(t, err)
			defer run.Close()
			_, err = run.Do(t.Context(), func() {})
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestSysbenchEndsWithTheContext(t *testing.T) {
	fake(t, "sysbench", "sleep 1000")
	source, err := sysbench{}.Open(t.Context())
	require.NoError(t, err)
	run, err := source.Start(t.Context(), 1)
	require.NoError(t, err)
	defer run.Close()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = run.Do(ctx, cancel)
	require.ErrorIs(t, err, context.Canceled)
}
