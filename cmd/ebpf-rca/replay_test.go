// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/capture"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/rca"
)

// seenAtRandom is what could have been seen of eight threads and three locks, most of it
// possible.
func seenAtRandom(random *rand.Rand) capture.Capture {
	const begin = 10 * time.Second
	some := func(n int) time.Duration { return time.Duration(random.IntN(n)) * time.Millisecond }
	thread := func() contention.ThreadID { return contention.ThreadID{TID: 10 + random.IntN(8), Start: time.Second} }
	kinds := []contention.Kind{contention.Mutex, contention.Futex, contention.CondVar, contention.Pipe, contention.Disk}
	seen := capture.Capture{
		Target: capture.Target{PID: 10, Comm: "server\xff"}, Kernel: "6.18.0", MinShare: 0.001 + random.Float64()/2,
		Trace: contention.Trace{
			Window: contention.Window{Begin: begin, End: begin + time.Second},
			Stacks: []contention.Stack{nil, stackOf("lock", "main"), stackOf("work", "main\xff"), nil},
			Loss:   contention.Loss{RingFull: uint64(random.IntN(2))},
		},
	}
	t := &seen.Trace
	for i := range 7 { // and of the eighth nothing is known
		t.Threads = append(t.Threads, contention.Thread{PID: 10, TID: 10 + i, Comm: fmt.Sprint("w", i), Start: time.Second})
	}
	for range random.IntN(60) {
		w := contention.Wait{
			Thread: thread(), Begin: begin + some(1100) - 50*time.Millisecond, Owner: 9 + random.IntN(9),
			Resource: contention.Resource{Kind: kinds[random.IntN(5)], Address: contention.Address(random.IntN(3)), PID: 10},
			Stack:    contention.StackID(random.IntN(4)), Late: contention.LateLook(random.IntN(16)),
		}
		if random.IntN(8) > 0 {
			w.Woken = w.Begin + 1 + some(300)
			w.Ran = w.Woken + some(10)
			w.Waker = contention.Waker{
				Kind: contention.WakerKind(random.IntN(4)), Thread: thread(), SameObject: random.IntN(2) == 0, Stack: 2,
			}
			w.Occupant, w.Occupied = thread(), w.Ran-w.Woken
		}
		t.Waits = append(t.Waits, w)
	}
	for range random.IntN(5) {
		p := contention.Preemption{Thread: thread(), Begin: begin + some(900), Occupant: thread(), Stack: 2}
		p.Ran = p.Begin + some(200)
		p.Occupied = p.Ran - p.Begin
		t.Preemptions = append(t.Preemptions, p)
	}
	for range random.IntN(20) {
		t.Samples = append(t.Samples, contention.Sample{Thread: thread(), At: begin + some(1000), Stack: contention.StackID(random.IntN(4))})
	}
	if random.IntN(2) == 0 {
		seen.Notes = []string{"something was not seen"}
	}
	return seen
}

// told is what diagnose prints of what it saw.
func told(t *testing.T, seen capture.Capture) (asJSON, screen string) {
	t.Helper()
	d := diagnosisOf(&seen, rca.Analyze(&seen.Trace, rca.Options{MinShare: seen.MinShare}))
	var b strings.Builder
	require.NoError(t, writeScreen(&b, d))
	return jsonOf(t, d), b.String()
}

func captureFile(t *testing.T, seen capture.Capture) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, capture.Write(&b, seen))
	path := filepath.Join(t.TempDir(), "x.cap.zst")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	return path
}

func TestReplayIsAsLive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	accusations := 0
	for range 100 {
		seen := seenAtRandom(random)
		path := captureFile(t, seen)
		asJSON, screen := told(t, seen)
		accusations += strings.Count(asJSON, `"rank":1,"class":"lock-holder"`)

		r := do(t, "replay", "--json", path)
		require.Equal(t, exitGood, r.code, r.stderr)
		require.Equal(t, asJSON, r.stdout)
		r = do(t, "replay", path)
		require.Equal(t, exitGood, r.code, r.stderr)
		require.Equal(t, screen, r.stdout)
	}
	assert.Greater(t, accusations, 10, "of many something is told")
}

// oneHolder is a capture in which thread 12 holds a mutex for most of a second.
func oneHolder() capture.Capture {
	const begin = 10 * time.Second
	thread := func(tid int) contention.ThreadID { return contention.ThreadID{TID: tid, Start: 5 * time.Second} }
	seen := capture.Capture{Target: capture.Target{PID: 10, Comm: "server"}, Kernel: "6.18.0", Trace: contention.Trace{
		Window:  contention.Window{Begin: begin, End: begin + time.Second},
		Threads: []contention.Thread{member(12, "flusher"), member(13, "worker"), member(14, "worker")},
	}}
	for i := range 5 {
		at := begin + time.Duration(i)*200*time.Millisecond
		seen.Trace.Waits = append(seen.Trace.Waits,
			contention.Wait{
				Thread: thread(13), Resource: tableMutex, Begin: at, Woken: at + 150*time.Millisecond, Ran: at + 150*time.Millisecond,
				Waker: contention.Waker{Kind: contention.WokenByThread, Thread: thread(12), SameObject: true},
			},
			contention.Wait{
				Thread: thread(14), Resource: tableMutex, Begin: at, Woken: at + 151*time.Millisecond, Ran: at + 151*time.Millisecond,
				Waker: contention.Waker{Kind: contention.WokenByThread, Thread: thread(13), SameObject: true},
			})
	}
	return seen
}

func TestReplayOfOneHolder(t *testing.T) {
	path := captureFile(t, oneHolder())
	r := do(t, "replay", path, path)
	assert.Equal(t, exitGood, r.code, r.stderr)
	assert.True(t, strings.HasPrefix(r.stdout, "process 10 (server), watched for 1.00 s on kernel 6.18.0\n"), r.stdout)
	assert.Contains(t, r.stdout, "flusher (thread 12) answers for")
	assert.Equal(t, 2, strings.Count(r.stdout, "process 10 (server)"), "both")
	assert.Contains(t, r.stdout, "\n\nprocess 10 (server)")
}

func TestReplayWithAnotherShare(t *testing.T) {
	seen := oneHolder()
	seen.MinShare = 0.9 // nobody lost so much
	path := captureFile(t, seen)
	assert.NotContains(t, do(t, "replay", "--json", path).stdout, "lock-holder")
	assert.Contains(t, do(t, "replay", "--json", "--min-share", "0.5", path).stdout, `"class":"lock-holder"`)
}

func TestReplayWithAnotherAnalyzer(t *testing.T) {
	path := captureFile(t, oneHolder())
	list := diagnoses(t, do(t, "replay", "--json", "--analyzer", "longest-waiter", path).stdout)
	require.Len(t, list, 1)
	require.NotEmpty(t, list[0].Findings)
	assert.Equal(t, 14, list[0].Findings[0].Culprit.TID)
}

func TestReplayOfDamagedCaptures(t *testing.T) {
	good := captureFile(t, oneHolder())
	data, err := os.ReadFile(good)
	require.NoError(t, err)
	put := func(name string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, data, 0o644))
		return path
	}
	short := put("short", data[:len(data)-2])
	empty := put("empty", nil)
	text := put("text", []byte("no capture"))

	r := do(t, "replay", "--json", short)
	assert.Equal(t, exitInfra, r.code)
	assert.Contains(t, r.stderr, short+": read capture: the file ends early")
	list := diagnoses(t, r.stdout)
	require.Len(t, list, 1, "what can be read is analysed")
	assert.Equal(t, 12, list[0].Findings[0].Culprit.TID)
	assert.Equal(t, []string{"this is of a damaged capture, as far as it can be read"}, list[0].Notes)

	r = do(t, "replay", "--json", empty, text, good)
	assert.Equal(t, exitInfra, r.code)
	assert.Contains(t, r.stderr, empty+": read capture: the file ends early; "+text+": read capture: not a capture")
	assert.Len(t, diagnoses(t, r.stdout), 1, "the others are analysed")
}
