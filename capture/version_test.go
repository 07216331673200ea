// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// version1 are the sections of a capture in version 1, put together by hand from the
// description of the format: n is written as 2n, -n as 2n-1.
var version1 = [][]byte{
	{ // header
		4, 2, 2, 'n', // a list of one note, the first new text, of one byte
		14, 4, 2, 'x', // pid 7, the second new text
		0,          // no kernel: the empty text
		0,          // the least share is 0
		20, 40, 16, // the window is 10 to 30, the observer 8
		0, 0, 0, 0, 0, 2, 0, // one event was lost while detached
		2, 4, 2, 1, 0, 2, // tables of one row, two, and one; one that is nil, one that is empty, and one of one
	},
	{14, 2, 18, 6, 4}, // thread 9, new, started at 3; it is named x
	{0, 4, 2, 6, 2, 'f', 0, 0, 0, 84, 2, 0, 0, 0, 0}, // no stack, and one of one frame
	{
		2,                                                       // the thread met already
		2, 8, 10, 'm', 'u', 't', 'e', 'x', 2, 0, 0, 14, 0, 0, 0, // a mutex at 1, of pid 7
		22, 4, 2, // it began at 11, was woken at 13, ran at 14
		2, 4, 4, 6, 2, 2, // woken by the new thread 2, from the same object, at stack 1
		18, 2, 2, 0, // owner 9, read late, stack 1
		2, 10, // thread 9 had the CPU for 5
	},
	{2, 40}, // thread 9 ended at 20
}

// version2 has what was left out in a storm behind what was lost.
func version2() [][]byte {
	const sizes = 6
	header := version1[0]
	shed := []byte{4, 24, 4, 10, 14} // one span, from 12 to 14; five waits, of 7 in all
	return append([][]byte{slices.Insert(slices.Clone(header), len(header)-sizes, shed...)}, version1[1:]...)
}

func TestVersions(t *testing.T) {
	want := Capture{
		Target: Target{PID: 7, Comm: "x"}, Notes: []string{"n"},
		Trace: contention.Trace{
			Window:   contention.Window{Begin: 10, End: 30},
			Observer: 8,
			Loss:     contention.Loss{Detached: 1},
			Threads:  []contention.Thread{{PID: 7, TID: 9, Start: 3, Comm: "x"}},
			Stacks:   []contention.Stack{nil, {{Function: "f", Line: 42, Inlined: true}}},
			Waits: []contention.Wait{{
				Thread:   contention.ThreadID{TID: 9, Start: 3},
				Resource: contention.Resource{Kind: contention.Mutex, Address: 1, PID: 7},
				Begin:    11, Woken: 13, Ran: 14,
				Waker: contention.Waker{Kind: contention.WokenByThread, Thread: contention.ThreadID{TID: 2, Start: 3}, SameObject: true, Stack: 1},
				Owner: 9, Late: contention.OwnerRead, Stack: 1,
				Occupant: contention.ThreadID{TID: 9, Start: 3}, Occupied: 5,
			}},
			Samples: []contention.Sample{},
			Exits:   []contention.Exit{{Thread: contention.ThreadID{TID: 9, Start: 3}, At: 20}},
		},
	}
	got, err := Read(bytes.NewReader(file(t, "ebpf-rca/capture/1\n", version1...)))
	require.NoError(t, err)
	assert.Equal(t, want, got)

	want.Trace.Shed = contention.Shed{Spans: []contention.Window{{Begin: 12, End: 14}}, Waits: 5, WaitTime: 7}
	got, err = Read(bytes.NewReader(file(t, "ebpf-rca/capture/2\n", version2()...)))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, version2(), sections(t, packed(t, want)), "and it is what is written")
}

func sections(t *testing.T, data []byte) [][]byte {
	t.Helper()
	in := unpacked(t, data)
	_, err := in.ReadString('\n')
	require.NoError(t, err)
	var all [][]byte
	for in.Buffered() > 0 {
		var section bytes.Buffer
		require.NoError(t, readSection(in, &section))
		all = append(all, slices.Clone(section.Bytes()))
	}
	return all
}
