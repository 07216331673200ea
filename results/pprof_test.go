// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestPprof(t *testing.T) {
	stack := contention.Stack{{Function: "fsync", Address: 5}, {Function: "flush", File: "flush.c", Line: 42}}
	var b bytes.Buffer
	require.NoError(t, WritePprof(&b, []BlamedStack{
		{Stack: stack, Blame: time.Second, Labels: map[string]string{"thread": "x"}}, {Stack: stack[1:], Blame: 1},
	}, 2*time.Second))
	p, err := profile.Parse(&b)
	require.NoError(t, err)
	assert.Equal(t, "blame", p.SampleType[0].Type)
	assert.Equal(t, int64(2e9), p.DurationNanos)
	require.Len(t, p.Sample, 2)
	assert.Equal(t, []int64{1e9}, p.Sample[0].Value)
	assert.Equal(t, []string{"x"}, p.Sample[0].Label["thread"])
	assert.Equal(t, "fsync", p.Sample[0].Location[0].Line[0].Function.Name, "innermost first")
	assert.Equal(t, int64(42), p.Sample[0].Location[1].Line[0].Line)
	assert.Same(t, p.Sample[0].Location[1], p.Sample[1].Location[0])
	assert.Error(t, WritePprof(fullWriter{}, nil, 0))
}
