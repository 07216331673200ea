// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestWriteIsCompact(t *testing.T) {
	data := packed(t, manyWaits(10_000))
	assert.Less(t, len(data), 10_000*15, "15 bytes a wait with random times")
}

func TestWriteIsTheSameAgain(t *testing.T) {
	c := manyWaits(1000)
	assert.Equal(t, packed(t, c), packed(t, c))
}

// The race detector sees it if a capture is written to.
func TestWriteLeavesTheCapture(t *testing.T) {
	c := manyWaits(100)
	c.Notes = []string{"a note"}
	c.Trace.Stacks = []contention.Stack{nil, {{Function: "f"}}}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { assert.NoError(t, Write(io.Discard, c)) })
	}
	both.Wait()
}

func TestWriteFails(t *testing.T) {
	full := errors.New("no space left")
	err := Write(failing{full}, manyWaits(100))
	assert.ErrorIs(t, err, full)
	assert.ErrorContains(t, err, "write capture: ")
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// What could not be read is not written.
func TestWriteOfTooMuch(t *testing.T) {
	c := manyWaits(1000)
	assert.ErrorIs(t, write(io.Discard, c, 100_000), ErrTooLarge)
	c = Capture{Notes: []string{strings.Repeat("x", maxSection)}}
	assert.ErrorIs(t, Write(io.Discard, c), ErrTooLarge)
}

// A reader needs as much memory as a writer claims, and no more.
func TestBothCountMemoryAlike(t *testing.T) {
	c := manyWaits(1000)
	c.Trace.Stacks = []contention.Stack{nil, {{Function: "f"}, {Function: "g"}}}
	var enough int64
	for enough = 1; write(io.Discard, c, enough) != nil; {
		enough += 1 + enough/8
	}
	data := packed(t, c)
	_, err := read(bytes.NewReader(data), enough)
	require.NoError(t, err)
	_, err = read(bytes.NewReader(data), enough-2-enough/8)
	assert.ErrorIs(t, err, ErrTooLarge)
}

// Other programs can unpack a capture.
func TestWriteIsZstd(t *testing.T) {
	line, err := unpacked(t, packed(t, manyWaits(100))).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "ebpf-rca/capture/2\n", line)
}
