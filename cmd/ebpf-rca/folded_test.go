// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestFolded(t *testing.T) {
	var b bytes.Buffer
	external := simple(contention.External, tableMutex, contention.HoldingOnCPU)
	require.NoError(t, writeFolded(&b, diagnosed(lockHolder(), external)))
	assert.Equal(t, `flusher (thread 12);0xdead;server+0x891;flush;fsync 1620000
flusher (thread 12);flush;compress 180000
`, b.String(), "outermost first; microseconds; only who is accused; no release")
}

func TestFoldedWhereOnlyTheReleaseIsKnown(t *testing.T) {
	f := lockHolder()
	f.Stacks = []contention.WeightedStack{{Role: contention.ReleaseStack, Frames: stackOf("unlock")}}
	var b bytes.Buffer
	require.NoError(t, writeFolded(&b, diagnosed(f)))
	assert.Equal(t, "flusher (thread 12);unlock 1800000\n", b.String())
}

func TestFoldedOfHostileNames(t *testing.T) {
	f := lockHolder()
	f.Culprit.Comm = "a;b\nc"
	f.Stacks = []contention.WeightedStack{{Role: contention.HoldingOnCPU, Weight: 1, Frames: stackOf("x;y\n")}}
	var b bytes.Buffer
	require.NoError(t, writeFolded(&b, diagnosed(f)))
	assert.Equal(t, "a:b\ufffdc (thread 12);x:y\ufffd 1800000\n", b.String())
}

func TestPprof(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, writePprof(&b, diagnosed(lockHolder())))
	p, err := profile.Parse(&b)
	require.NoError(t, err)
	assert.Equal(t, []*profile.ValueType{{Type: "blame", Unit: "nanoseconds"}}, p.SampleType)
	assert.Equal(t, (2 * time.Second).Nanoseconds(), p.DurationNanos)
	require.Len(t, p.Sample, 2)
	s := p.Sample[0]
	assert.Equal(t, []int64{1620000000}, s.Value)
	assert.Equal(t, []string{"lock-holder"}, s.Label["class"])
	assert.Equal(t, []string{"mutex 0x7f00"}, s.Label["resource"])
	assert.Equal(t, []string{"flusher (thread 12)"}, s.Label["thread"])
	assert.Equal(t, "fsync", s.Location[0].Line[0].Function.Name, "innermost first")
	assert.Equal(t, "flush", s.Location[1].Line[0].Function.Name)
	assert.Equal(t, int64(42), s.Location[1].Line[0].Line)
	assert.Same(t, s.Location[1].Line[0].Function, p.Sample[1].Location[1].Line[0].Function, "one function of a name")
}
