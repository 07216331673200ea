// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/capture"
	"github.com/os2026/ebpf-rca/contention"
)

func TestCaptureIsKept(t *testing.T) {
	observer := &fakeObserver{trace: contention.Trace{
		Threads: []contention.Thread{{PID: 1, TID: victimTID, Comm: "w0"}},
		Waits: []contention.Wait{
			{Thread: contention.ThreadID{TID: victimTID}, Begin: 1, Woken: 2, Ran: 3, Owner: culpritTID},
			{Thread: contention.ThreadID{TID: victimTID}, Begin: fakeGo + time.Hour},
		},
	}}
	sink, err := runFakes(t, Options{Observer: observer, KeepCapture: true, Kernel: "6.18.1"}, twinRun(3, "good"), faultRun(4, "deaf"))
	require.NoError(t, err)
	require.Len(t, sink.records, 4)
	for _, r := range sink.records[:2] {
		assert.Equal(t, "captures/3.cap.zst", r.Capture, "the same for every analyser")
	}
	assert.Empty(t, sink.records[2].Capture, "nothing was seen of it")

	c, err := capture.Read(bytes.NewReader(sink.files["captures/3.cap.zst"]))
	require.NoError(t, err)
	assert.Equal(t, capture.Target{PID: observer.pids[0]}, c.Target)
	assert.Equal(t, "6.18.1", c.Kernel)
	assert.Zero(t, c.MinShare)
	assert.Equal(t, contention.Window{Begin: fakeGo, End: fakeGo + time.Second}, c.Trace.Window, "that of the analysis")
	require.Len(t, c.Trace.Waits, 1, "as the analysis is given it")
	assert.Equal(t, culpritTID, c.Trace.Waits[0].Owner)
}

// What an earlier attempt at a run left is not written over.
func TestFilesGetFreeNames(t *testing.T) {
	sink, err := runFakes(t, Options{KeepCapture: true, Free: func(name string) (string, error) { return "again/" + name, nil }}, twinRun(0, "good"))
	require.NoError(t, err)
	assert.Equal(t, "again/captures/0.cap.zst", sink.records[0].Capture)
	assert.Equal(t, "again/ledgers/0.json.zst", sink.records[0].Truth.Ledger)
	assert.Contains(t, sink.files, "again/ledgers/0.json.zst")
	assert.NotContains(t, sink.files, "ledgers/0.json.zst")
}

func TestCaptureIsNotKeptUnasked(t *testing.T) {
	sink, err := runFakes(t, Options{}, twinRun(0, "good"))
	require.NoError(t, err)
	assert.Empty(t, sink.records[0].Capture)
	assert.NotContains(t, sink.files, "captures/0.cap.zst")
}

func TestCaptureNamesTheTarget(t *testing.T) {
	p := &played{pid: 7, trace: &contention.Trace{Threads: []contention.Thread{{TID: 8, Comm: "w1"}, {TID: 7, Comm: "w0"}}}}
	assert.Equal(t, capture.Target{PID: 7, Comm: "w0"}, p.target())
}
